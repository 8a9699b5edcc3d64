/** A photo that is looked at: which one, what is known of it, and how it is shown. */
import { Talk } from '../albums/talk.svelte';
import { isGone } from '../api/errors';
import { date, t } from '../i18n/i18n.svelte';
import { failed } from '../ui/failed';
import { toasts } from '../ui/toasts.svelte';
import { Controls } from './controls.svelte';
import { LivePhoto } from './livePhoto.svelte';
import { panel } from './panel.svelte';
import { PhotoPeople } from './people.svelte';
import { OpenPhoto } from './photo.svelte';
import { Slideshow } from './slideshow.svelte';
import { type Direction, Stage } from './stage.svelte';
import { viewer } from './viewer.svelte';
import { Walk } from './walk.svelte';

export class Viewing {
  readonly walk = new Walk();
  readonly controls = new Controls();
  readonly show = new Slideshow(async () => (await this.walk.step(1)) || this.walk.startOver());
  readonly moving = new LivePhoto();
  readonly stage = new Stage({
    turn: (to) => void this.walk.step(to),
    close: () => viewer.close(),
    info: () => panel.toggle(true),
    tap: (kind) => kind !== 'mouse' && this.controls.toggle(),
    hold: () => this.#hold(),
    letGo: () => this.moving.stop(),
  });

  photo = $state.raw(new OpenPhoto(this.walk.id));
  people = $state.raw(new PhotoPeople(this.walk.id));
  error = $state.raw<unknown>(null);
  allBoxes = $state(false);
  isFull = $state(document.fullscreenElement !== null);

  talk = $derived(viewer.album ? new Talk(viewer.album.id, this.walk.id) : null);
  image = $derived(this.photo.image);
  isVideo = $derived(this.walk.tile?.isVideo ?? this.image?.assetType === 'VIDEO');
  isLive = $derived(this.image?.urls['motion'] !== undefined && !this.show.isOn && !this.people.drawing);
  isFavourite = $derived(this.image?.favorite ?? this.walk.tile?.favorite ?? false);
  position = $derived(this.walk.position ? t('viewer.position', this.walk.position) : '');
  name = $derived.by(() => {
    const { altText, title, takenAt } = this.image ?? {};
    const time = takenAt ?? this.walk.tile?.time;
    const when = time ? date(time, { dateStyle: 'long' }) : '';
    return altText || title || t(this.isVideo ? 'photos.videoOf' : 'photos.photoOf', { when });
  });

  /** Goes on with the photo that the walk has come to. */
  follow(): void {
    const { id } = this.walk;
    if (this.photo.id === id) return;
    this.photo = new OpenPhoto(id);
    this.people = new PhotoPeople(id);
  }

  async load(isAgain = false): Promise<void> {
    const { photo, people } = this;
    this.error = null;
    try {
      await photo.load(isAgain);
      if (photo.image?.faceCount || isAgain) await people.load();
    } catch (problem) {
      if (photo.id !== this.walk.id || !viewer.photo) return;
      if (photo.image && isGone(problem)) return this.wentAway();
      this.error = problem;
      if (!isGone(problem)) failed(problem);
    }
  }

  /** The picture does not come: its address may be an old one. A slideshow goes on in any case. */
  broke(): void {
    this.show.shown();
    void this.load();
  }

  wentAway(): void {
    if (this.walk.gone.has(this.photo.id)) return;
    toasts.say(t('viewer.wentAway'));
    void this.walk.leave(this.photo.id);
  }

  step(to: Direction): void {
    if (this.stage.isZoomed) this.stage.nudge({ x: -to, y: 0 });
    else void this.walk.step(to);
  }

  play(): void {
    this.moving.stop();
    this.show.toggle();
    if (this.show.isOn) {
      this.stage.reset();
      this.controls.hide();
    } else this.controls.stay();
  }

  /** One thing after the other: what is above the photo goes first. */
  escape(): void {
    if (this.people.drawing) this.people.drawing = null;
    else if (this.show.isOn) this.show.stop();
    else viewer.close();
  }

  fill(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(failed);
  }

  #hold(): boolean {
    if (this.isLive) this.moving.play();
    return this.isLive;
  }
}
