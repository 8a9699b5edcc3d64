/** Names for what the server tells about people. */
import type { components } from '../api/schema';

type Shapes = components['schemas'];

export type { Person } from '../api/shapes';
export type Face = Shapes['FaceAnswer'];
export type Decision = Shapes['DecisionAnswer'];
export type Decided = Shapes['DecidedAnswer'];
export type Suggestion = Shapes['SuggestionAnswer'];
export type Match = Shapes['MatchAnswer'];
export type Selfie = Shapes['SelfieAnswer'];
export type Erasure = Shapes['ErasureAnswer'];
export type Keep = Shapes['Keep'];
