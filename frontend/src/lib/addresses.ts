/** Addresses of all pages. */

type Params = Readonly<Record<string, string>>;

export const addresses = {
  photos: () => '/',
  feed: () => '/feed',
  albums: () => '/albums',
  album: (id: string, part = '') => `/albums/${id}${part && `/${part}`}`,
  wall: (id: string) => `/albums/${id}/wall`,
  /** Cards of a link that was made in this tab. */
  cards: (id: string, link: string) => `/albums/${id}/cards?link=${link}`,
  people: () => '/people',
  person: (id: string) => `/people/${id}`,
  search: (query = '') => `/search${query && `?${query}`}`,
  /** Search by one filter, such as a tag. */
  searchFor: (filter: Params) => `/search?${new URLSearchParams(filter).toString()}`,
  withMe: () => '/with-me',
  members: () => '/members',
  member: (email: string) => `/members/${encodeURIComponent(email)}`,
  favorites: () => '/favorites',
  trash: () => '/trash',
  profile: (part = '') => `/profile${part && `/${part}`}`,
  uploads: () => '/profile/uploads',
  admin: (part = '') => `/admin${part && `/${part}`}`,
  signIn: () => '/signin',
} as const;
