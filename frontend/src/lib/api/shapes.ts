/** Names for the shapes that pages speak of. */
import type { components } from './schema';

type Shapes = components['schemas'];

export type Image = Shapes['ImageAnswer'];
export type ImageDetails = Shapes['ImageDetails'];
export type Month = Shapes['MonthAnswer'];
export type Person = Shapes['PersonAnswer'];
export type Profile = Shapes['ProfileAnswer'];
export type Limit = Shapes['LimitAnswer'];
export type About = Shapes['About'];
export type Album = Shapes['AlbumAnswer'];
export type AlbumRole = Shapes['AlbumRole'];
export type AlbumOrder = Shapes['AlbumOrder'];
export type AlbumMember = Shapes['MemberAnswer'];
export type AlbumChange = Shapes['AlbumChange'];
export type Comment = Shapes['CommentAnswer'];
export type User = Shapes['UserAnswer'];
export type Suggestions = Shapes['SearchSuggestions'];
export type Archive = Shapes['ArchiveAnswer'];
export type Face = Shapes['FaceAnswer'];
export type Decision = Shapes['DecisionAnswer'];
export type Decided = Shapes['DecidedAnswer'];
export type Suggestion = Shapes['SuggestionAnswer'];
export type Match = Shapes['MatchAnswer'];
export type Selfie = Shapes['SelfieAnswer'];
export type Erasure = Shapes['ErasureAnswer'];
export type Keep = Shapes['Keep'];
export type NewInvitation = Shapes['NewInvitationAnswer'];
export type NewKey = Shapes['NewKeyAnswer'];
export type NewLink = Shapes['NewLinkAnswer'];
export type ShareLink = Omit<NewLink, 'secret' | 'url' | 'qr'>;
export type LinkPermission = Shapes['LinkPermission'];
export type Guest = Shapes['GuestAnswer'];
export type ClosedLink = Shapes['ClosedLink'];
