print("aac")
