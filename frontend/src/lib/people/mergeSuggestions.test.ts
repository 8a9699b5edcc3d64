import { describe, expect, it } from 'vitest';
import type { Suggestion } from '../api/types';
import { MergeSuggestions } from './mergeSuggestions.svelte';

const asked = (suggestionId: string): Suggestion => ({ suggestionId, similarity: 0.4, persons: [], faces: [] });

function queue(...pages: string[][]) {
  return new MergeSuggestions(() => Promise.resolve((pages.shift() ?? []).map(asked)));
}

describe('the queue of suggestions', () => {
  it('asks the likeliest first, and the next once it was answered', async () => {
    const suggestions = queue(['a', 'b']);
    await suggestions.load();
    expect(suggestions.current?.suggestionId).toBe('a');
    suggestions.pass('a');
    expect(suggestions.current?.suggestionId).toBe('b');
    suggestions.pass('b');
    expect(suggestions.current).toBeNull();
  });

  it('does not change the question before the eyes of who thinks about it', async () => {
    const suggestions = queue(['a', 'b'], ['c', 'b', 'a']);
    await suggestions.load();
    await suggestions.load();
    expect(suggestions.current?.suggestionId).toBe('a');
    expect(suggestions.size).toBe(3);
  });

  it('drops a suggestion that another user has answered', async () => {
    const suggestions = queue(['a', 'b'], ['b']);
    await suggestions.load();
    await suggestions.load();
    expect(suggestions.current?.suggestionId).toBe('b');
  });

  it('does not ask again what was answered, though the server is a moment behind', async () => {
    const suggestions = queue(['a', 'b'], ['a', 'b']);
    await suggestions.load();
    suggestions.pass('a');
    await suggestions.load();
    expect(suggestions.current?.suggestionId).toBe('b');
  });

  it('asks again what could not be answered', async () => {
    const suggestions = queue(['a', 'b']);
    await suggestions.load();
    suggestions.pass('a');
    suggestions.putBack(asked('a'));
    expect(suggestions.current?.suggestionId).toBe('a');
    expect(suggestions.size).toBe(2);
  });

  it('takes the answer to its last question alone, where it asked twice', async () => {
    const answers: ((told: Suggestion[]) => void)[] = [];
    const suggestions = new MergeSuggestions(() => new Promise((answer) => answers.push(answer)));
    const both = [suggestions.load(), suggestions.load()];
    answers[1]?.([asked('new')]);
    answers[0]?.([asked('old')]);
    await Promise.all(both);
    expect(suggestions.current?.suggestionId).toBe('new');
  });
});
