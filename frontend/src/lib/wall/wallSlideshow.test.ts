import { describe, expect, it } from 'vitest';
import { WallRotation } from './wallSlideshow.svelte';

const shown = (rotation: WallRotation, turns: number): (string | null)[] => {
  const all: (string | null)[] = [];
  for (let turn = 0; turn < turns; turn++) all.push(rotation.next(all.at(-1) ?? null));
  return all;
};

describe('what a wall shows large', () => {
  it('goes from the newest photo to the oldest, and begins again', () => {
    const rotation = new WallRotation();
    rotation.put(['c', 'b', 'a']);
    expect(shown(rotation, 5)).toEqual(['c', 'b', 'a', 'c', 'b']);
  });

  it('is what came meanwhile, in the order that it came', () => {
    const rotation = new WallRotation();
    rotation.put(['b', 'a']);
    expect(rotation.next()).toBe('b');
    rotation.put(['d', 'c', 'b', 'a']);
    expect(rotation.waiting).toBe(2);
    expect([rotation.next('b'), rotation.next('c'), rotation.next('d')]).toEqual(['c', 'd', 'a']);
  });

  it('is nothing that is gone, and nothing where all is', () => {
    const rotation = new WallRotation();
    rotation.put(['b', 'a']);
    rotation.next();
    rotation.put(['c', 'b', 'a']);
    rotation.put(['b', 'a']);
    expect(rotation.waiting).toBe(0);
    rotation.put(['a']);
    expect(rotation.next('b')).toBe('a');
    rotation.put([]);
    expect(rotation.next('a')).toBeNull();
  });

  it('is the same one again where there is no other', () => {
    const rotation = new WallRotation();
    rotation.put(['a']);
    expect([rotation.next(), rotation.next('a')]).toEqual(['a', 'a']);
  });

  it('begins with the first photo that comes to an empty wall', () => {
    const rotation = new WallRotation();
    rotation.put([]);
    expect(rotation.next()).toBeNull();
    rotation.put(['a']);
    expect(rotation.next()).toBe('a');
  });
});
