/** What a link is for, in one word: most hosts want one of these, and nothing else. */
import type { LinkPermission } from '../api/shapes';

export const PERMISSIONS: readonly LinkPermission[] = ['view', 'download', 'upload', 'find'];

export interface Preset {
  readonly name: 'collect' | 'look' | 'bring' | 'find' | 'person';
  readonly allow: readonly LinkPermission[];
  readonly askName: boolean;
  /** It is about persons, who are to be chosen. */
  readonly isOfPersons?: boolean;
}

export const PRESETS: readonly Preset[] = [
  { name: 'collect', allow: ['view', 'download', 'upload', 'find'], askName: true },
  { name: 'look', allow: ['view', 'download'], askName: false },
  { name: 'bring', allow: ['upload'], askName: true },
  { name: 'find', allow: ['download', 'find'], askName: false },
  { name: 'person', allow: ['view', 'download'], askName: false, isOfPersons: true },
];

/** In the order that they are told in, each once. */
export const inOrder = (allow: readonly LinkPermission[]): LinkPermission[] =>
  PERMISSIONS.filter((each) => allow.includes(each));

/** The one that a link is made as, or null for one that is like none of them. */
export function presetOf(allow: readonly LinkPermission[], isOfPersons: boolean): Preset | null {
  const told = inOrder(allow).join();
  const isAlike = (preset: Preset) =>
    inOrder(preset.allow).join() === told && (preset.isOfPersons ?? false) === isOfPersons;
  return PRESETS.find(isAlike) ?? null;
}
