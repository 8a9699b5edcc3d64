/** Short names for the API types that components use. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type Image = Schemas['ImageResponse'];
export type ImageDetails = Schemas['ImageDetailsResponse'];
export type Month = Schemas['MonthResponse'];
export type Person = Schemas['PersonResponse'];
export type Profile = Schemas['ProfileResponse'];
export type Limit = Schemas['LimitResponse'];
export type About = Schemas['AboutResponse'];
export type Album = Schemas['AlbumResponse'];
export type AlbumRole = Schemas['AlbumRole'];
export type AlbumOrder = Schemas['AlbumOrder'];
export type AlbumMember = Schemas['MemberResponse'];
export type AlbumChange = Schemas['AlbumChange'];
export type Comment = Schemas['CommentResponse'];
export type User = Schemas['UserResponse'];
export type Suggestions = Schemas['SearchSuggestionsResponse'];
export type Archive = Schemas['ArchiveResponse'];
export type Face = Schemas['FaceResponse'];
export type Decision = Schemas['DecisionResponse'];
export type DecisionResult = Schemas['DecidedResponse'];
export type Suggestion = Schemas['MergeSuggestionResponse'];
export type Match = Schemas['MatchResponse'];
export type Selfie = Schemas['SelfieSearchResponse'];
export type Erasure = Schemas['ErasureResponse'];
export type ErasureKeep = Schemas['Keep'];
export type NewInvitation = Schemas['NewInvitationResponse'];
export type NewKey = Schemas['NewApiKeyResponse'];
export type NewLink = Schemas['NewLinkResponse'];
export type ShareLink = Omit<NewLink, 'secret' | 'url' | 'qr'>;
export type LinkPermission = Schemas['LinkPermission'];
export type Guest = Schemas['GuestResponse'];
export type LinkPreview = Schemas['ClosedLinkResponse'];
