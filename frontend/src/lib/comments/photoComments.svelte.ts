/** Store of the likes and comments of one photo in an album. Changes are shown at once, and undone if they fail. */
import { api, unwrap } from '../api/client';
import { isNotFound } from '../api/errors';
import type { Comment } from '../api/types';
import { toastError } from '../ui/toasts.svelte';

const MOST_NAMES = 3;

export class PhotoComments {
  comments = $state.raw<readonly Comment[]>([]);
  likes = $state(0);
  isLiked = $state(false);
  likedBy = $state.raw<readonly string[]>([]);
  isLoaded = $state(false);
  readonly #params: { path: { albumId: string; imageId: string } };

  constructor(
    readonly albumId: string,
    readonly imageId: string,
  ) {
    this.#params = { path: { albumId, imageId } };
  }

  /** Names of the first users who like it. */
  get names(): readonly string[] {
    return this.likedBy.slice(0, MOST_NAMES);
  }

  /** Loads all pages: a photo has a few hundred comments at most. A photo that is not in the album has none. */
  async load(): Promise<void> {
    try {
      const comments: Comment[] = [];
      let cursor: string | null | undefined;
      do {
        const query = { limit: 500, ...(cursor && { cursor }) };
        const asked = api.GET('/api/albums/{albumId}/photos/{imageId}/comments', {
          params: { ...this.#params, query },
        });
        const page = await unwrap(asked);
        comments.push(...page.comments);
        [this.likes, this.isLiked, this.likedBy] = [page.likes, page.liked, page.likedBy];
        cursor = page.lastEvaluatedKey;
      } while (cursor);
      this.comments = comments;
      this.isLoaded = true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async like(isLiked: boolean): Promise<void> {
    const [liked, likes] = [this.isLiked, this.likes];
    if (liked === isLiked) return;
    [this.isLiked, this.likes] = [isLiked, likes + (isLiked ? 1 : -1)];
    const options = { params: this.#params };
    try {
      if (isLiked) await unwrap(api.PUT('/api/albums/{albumId}/photos/{imageId}/like', options));
      else await unwrap(api.DELETE('/api/albums/{albumId}/photos/{imageId}/like', options));
      await this.load();
    } catch (error) {
      [this.isLiked, this.likes] = [liked, likes];
      toastError(error);
    }
  }

  /** Throws if the comment was not stored, so that its text stays in the field. */
  async addComment(text: string): Promise<void> {
    const asked = api.POST('/api/albums/{albumId}/photos/{imageId}/comments', {
      params: this.#params,
      body: { text },
    });
    this.#put(await unwrap(asked));
  }

  async remove({ commentId }: Comment): Promise<void> {
    const before = this.comments;
    this.comments = before.filter((each) => each.commentId !== commentId);
    try {
      await unwrap(api.DELETE('/api/comments/{commentId}', { params: { path: { commentId } } }));
    } catch (error) {
      if (isNotFound(error)) return;
      this.comments = before;
      throw error;
    }
  }

  #put(comment: Comment): void {
    this.comments = [...this.comments.filter(({ commentId }) => commentId !== comment.commentId), comment];
  }
}
