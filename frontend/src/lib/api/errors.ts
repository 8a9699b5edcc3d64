/** What can go wrong with a request: the server refuses, or it cannot be reached. */

interface Told {
  error?: string;
  message?: string;
  requestId?: string | null;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly body: Readonly<Record<string, unknown>>,
    /** Seconds after which the server asks to be tried again. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  static of(response: Response, body: unknown): ApiError {
    const told = (typeof body === 'object' && body !== null ? body : {}) as Told;
    const message = told.message ?? response.statusText;
    const requestId = told.requestId ?? response.headers.get('X-Request-Id');
    const after = Number(response.headers.get('Retry-After') ?? NaN);
    return new ApiError(
      response.status,
      told.error ?? '',
      message,
      requestId,
      told as Record<string, unknown>,
      Number.isFinite(after) ? after : null,
    );
  }
}

export class Unreachable extends Error {
  constructor() {
    super('unreachable');
    this.name = 'Unreachable';
  }
}

export const isCode = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code;
