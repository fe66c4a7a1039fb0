extension Tags {
  /// Keys that have a place of their own in MP4 files. Values are text unless said otherwise.
  public enum Key {
    public static let title = "title"
    public static let artist = "artist"
    public static let album = "album"
    public static let albumArtist = "albumArtist"
    public static let composer = "composer"
    public static let date = "date"
    public static let genre = "genre"
    public static let comment = "comment"
    public static let track = "track"  // "3" or "3/12"
    public static let disc = "disc"  // "1" or "1/2"
    public static let copyright = "copyright"
    public static let grouping = "grouping"
    public static let lyrics = "lyrics"
    public static let description = "description"
    public static let encoder = "encoder"
    public static let beatsPerMinute = "bpm"  // a whole number
    public static let compilation = "compilation"  // "1" or "0"

    public static let sortTitle = "sortTitle"
    public static let sortArtist = "sortArtist"
    public static let sortAlbum = "sortAlbum"
    public static let sortAlbumArtist = "sortAlbumArtist"
    public static let sortComposer = "sortComposer"
    public static let sortShow = "sortShow"

    public static let work = "work"
    public static let movement = "movement"  // its name
    public static let movementNumber = "movementNumber"  // a whole number, as the next
    public static let movementCount = "movementCount"
    public static let showWorkAndMovement = "showMovement"  // "1" or "0"
    public static let conductor = "conductor"
    public static let director = "director"
    public static let narrator = "narrator"
    public static let publisher = "publisher"
    public static let performer = "performer"
    public static let producer = "producer"
    public static let encodedBy = "encodedBy"
    public static let longDescription = "longDescription"
    public static let storeDescription = "storeDescription"

    public static let gaplessPlayback = "gapless"  // "1" or "0"
    /// `music`, `audiobook`, `podcast`, … or a number.
    public static let mediaKind = "mediaKind"
    /// `none`, `explicit`, `clean` or a number.
    public static let rating = "rating"

    public static let show = "show"
    public static let network = "network"
    public static let season = "season"  // a whole number, as the next
    public static let episode = "episode"
    public static let episodeID = "episodeID"
    public static let podcast = "podcast"  // "1" or "0"
    public static let podcastURL = "podcastURL"
    public static let podcastGUID = "podcastGUID"
    public static let category = "category"
    public static let keywords = "keywords"

    public static let purchaseDate = "purchaseDate"
    public static let purchaser = "purchaser"
    public static let owner = "owner"
    /// The shop's numbers for title, artist, album, composer, genre and country.
    public static let storeID = "storeID"
    public static let storeArtistID = "storeArtistID"
    public static let storeAlbumID = "storeAlbumID"
    public static let storeComposerID = "storeComposerID"
    public static let storeGenreID = "storeGenreID"
    public static let storeCountry = "storeCountry"
    public static let storeVendorID = "storeVendorID"  // text

    /// All of them.
    public static var all: [String] { TagAtom.all.map(\.key) }
  }

  /// What a known key's value has to be, for messages; `nil` where `value` can be stored as what the key means, and
  /// for keys that are not known, which take any text. MP4 files hold other values too, where fewer players look.
  public static func problem(of value: String, for key: String) -> String? {
    guard let atom = TagAtom.byKey[key], atom.data(of: value) == nil else { return nil }
    return atom.expectation
  }
}
