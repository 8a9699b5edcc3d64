/** What is said about a photo in an album: who likes it, and comments. Shown at once, taken back where it fails. */
import { api, told } from '../api/client';
import { isGone } from '../api/errors';
import type { Comment } from '../api/shapes';
import { failed } from '../ui/failed';

const MOST_NAMES = 3;

export class Talk {
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

  /** The names of the first who like it. */
  get names(): readonly string[] {
    return this.likedBy.slice(0, MOST_NAMES);
  }

  /** All of it: a photo has few hundred comments at the most. A photo that is not in the album has none. */
  async load(): Promise<void> {
    try {
      const comments: Comment[] = [];
      let cursor: string | null | undefined;
      do {
        const query = { limit: 500, ...(cursor && { cursor }) };
        const asked = api.GET('/api/albums/{albumId}/photos/{imageId}/comments', {
          params: { ...this.#params, query },
        });
        const page = await told(asked);
        comments.push(...page.comments);
        [this.likes, this.isLiked, this.likedBy] = [page.likes, page.liked, page.likedBy];
        cursor = page.lastEvaluatedKey;
      } while (cursor);
      this.comments = comments;
      this.isLoaded = true;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  async like(isLiked: boolean): Promise<void> {
    const [liked, likes] = [this.isLiked, this.likes];
    if (liked === isLiked) return;
    [this.isLiked, this.likes] = [isLiked, likes + (isLiked ? 1 : -1)];
    const options = { params: this.#params };
    try {
      if (isLiked) await told(api.PUT('/api/albums/{albumId}/photos/{imageId}/like', options));
      else await told(api.DELETE('/api/albums/{albumId}/photos/{imageId}/like', options));
      await this.load();
    } catch (error) {
      [this.isLiked, this.likes] = [liked, likes];
      failed(error);
    }
  }

  /** Throws where it was not taken, so that the words stay where they were written. */
  async say(text: string): Promise<void> {
    const asked = api.POST('/api/albums/{albumId}/photos/{imageId}/comments', {
      params: this.#params,
      body: { text },
    });
    this.#put(await told(asked));
  }

  async remove({ commentId }: Comment): Promise<void> {
    const before = this.comments;
    this.comments = before.filter((each) => each.commentId !== commentId);
    try {
      await told(api.DELETE('/api/comments/{commentId}', { params: { path: { commentId } } }));
    } catch (error) {
      if (isGone(error)) return;
      this.comments = before;
      throw error;
    }
  }

  #put(comment: Comment): void {
    this.comments = [...this.comments.filter(({ commentId }) => commentId !== comment.commentId), comment];
  }
}
