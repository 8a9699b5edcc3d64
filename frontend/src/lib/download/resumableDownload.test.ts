import { describe, expect, it } from 'vitest';
import type { FileSink } from './fileSink';
import { ResumableDownload, type DownloadEnvironment } from './resumableDownload.svelte';

const FILE = Uint8Array.from({ length: 1000 }, (_, at) => at % 251);

/** File in memory, which records its end. */
class Memory implements FileSink {
  bytes: number[] = [];
  end: 'closed' | 'aborted' | null = null;
  isFull = false;

  write(bytes: Uint8Array): Promise<void> {
    if (this.isFull) return Promise.reject(new DOMException('no room', 'QuotaExceededError'));
    this.bytes.push(...bytes);
    return Promise.resolve();
  }
  restart(): Promise<void> {
    this.bytes = [];
    return Promise.resolve();
  }
  close(): Promise<void> {
    this.end = 'closed';
    return Promise.resolve();
  }
  abort(): Promise<void> {
    this.end = 'aborted';
    return Promise.resolve();
  }
}

type Answer = (headers: Record<string, string>) => Response | Error;

/** Body of these bytes; it fails at its end if `isCut`. */
function body(bytes: Uint8Array<ArrayBuffer>, isCut: boolean): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(stream) {
      if (!isSent) stream.enqueue(bytes);
      else if (isCut) stream.error(new TypeError('network error'));
      else stream.close();
      isSent = true;
    },
  });
}

/** Server that sends so many bytes of each response before the connection breaks. */
function serve(most: number, etag = '"a-1"', file = FILE): Answer {
  return (headers) => {
    const start = headers['If-Range'] === etag ? Number(/bytes=(\d+)-/.exec(headers['Range'] ?? '')?.[1] ?? 0) : 0;
    const rest = file.slice(start);
    return new Response(body(rest.slice(0, most), most < rest.length), {
      status: start ? 206 : 200,
      headers: { ETag: etag, 'Content-Length': String(rest.length) },
    });
  };
}

function world(answers: Answer[]): DownloadEnvironment & { rests: number } {
  const told = {
    rests: 0,
    now: () => 0,
    fetch: (_: unknown, options?: RequestInit) => {
      const answer = answers.shift()?.((options?.headers ?? {}) as Record<string, string>);
      return answer instanceof Response
        ? Promise.resolve(answer)
        : Promise.reject(answer ?? new Error('asked too often'));
    },
    rest: () => {
      told.rests++;
      return Promise.resolve();
    },
  };
  return told;
}

async function saved(...answers: Answer[]) {
  const [sink, there] = [new Memory(), world(answers)];
  const saving = new ResumableDownload('/api/archives/x', sink, FILE.length, there);
  await saving.run();
  return { saving, sink, there };
}

const refuse =
  (status: number): Answer =>
  () =>
    new Response(JSON.stringify({ error: 'X', message: 'no' }), { status });
const unreachable: Answer = () => new TypeError('failed to fetch');

describe('a download', () => {
  it('is written as it comes', async () => {
    const { saving, sink } = await saved(serve(1000));
    expect([saving.state, saving.received, sink.end]).toEqual(['done', 1000, 'closed']);
    expect(sink.bytes).toEqual([...FILE]);
  });

  it('goes on where it was cut off, as often as need be', async () => {
    const { saving, sink, there } = await saved(serve(300), unreachable, serve(300), refuse(503), serve(1000));
    expect(saving.state).toBe('done');
    expect(sink.bytes).toEqual([...FILE]);
    expect(there.rests).toBe(4);
  });

  it('begins anew where the server has another file by now', async () => {
    const other = FILE.map((byte) => byte ^ 1);
    const { saving, sink } = await saved(serve(300), serve(1000, '"b-1"', other));
    expect([saving.state, saving.received]).toEqual(['done', 1000]);
    expect(sink.bytes).toEqual([...other]);
  });

  it('ends where it is refused, and leaves no file', async () => {
    const { saving, sink } = await saved(serve(300), refuse(404));
    expect([saving.state, sink.end]).toEqual(['failed', 'aborted']);
  });

  it('ends where the disk is full', async () => {
    const sink = new Memory();
    sink.isFull = true;
    const saving = new ResumableDownload('/x', sink, 1000, world([serve(1000)]));
    await saving.run();
    expect([saving.state, sink.end]).toEqual(['failed', 'aborted']);
  });

  it('rests while it is paused, and goes on from there', async () => {
    const sink = new Memory();
    const saving: ResumableDownload = new ResumableDownload('/x', sink, 1000, {
      ...world([serve(400), serve(1000)]),
      rest: () => Promise.resolve(saving.pause()),
    });
    await saving.run();
    expect([saving.state, saving.received]).toEqual(['paused', 400]);
    await saving.run();
    expect([saving.state, sink.end]).toEqual(['done', 'closed']);
    expect(sink.bytes).toEqual([...FILE]);
  });

  it('that is cancelled leaves nothing behind', async () => {
    const sink = new Memory();
    const saving: ResumableDownload = new ResumableDownload('/x', sink, 1000, {
      ...world([serve(400), serve(1000)]),
      rest: () => saving.cancel(),
    });
    await saving.run();
    expect([saving.state, sink.end]).toEqual(['cancelled', 'aborted']);
  });
});
