export interface RetryOptions {
  /** How often a request is sent at most; 5 unless set, 1 repeats none. */
  attempts?: number;
  /** The longest first pause in milliseconds; 200 unless set. Each pause may be twice as long as the one before. */
  firstPause?: number;
  /** The longest pause in milliseconds; 10,000 unless set. A response whose Retry-After is longer is returned. */
  longestPause?: number;
  /** Waits; for tests. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Draws from [0, 1); for tests. */
  random?: () => number;
}

const repeatable = new Set(["GET", "HEAD", "PUT", "PATCH", "DELETE"]);

/**
 * retrying returns a fetch that sends a request again, with the same Idempotency-Key and body, if the network failed, after 503, and after 409
 * request_in_progress. It repeats nothing else: other answers are final. A POST without an Idempotency-Key is sent once.
 */
export function retrying(send: (request: Request) => Promise<Response>, options: RetryOptions = {}): (request: Request) => Promise<Response> {
  const { attempts = 5, firstPause = 200, longestPause = 10_000, sleep = wait, random = Math.random } = options;
  return async (request) => {
    const mayRepeat = repeatable.has(request.method) || request.headers.has("Idempotency-Key");
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= attempts || !mayRepeat;
      let pause = random() * Math.min(longestPause, firstPause * 2 ** (attempt - 1));
      try {
        const response = await send(last ? request : request.clone());
        if (last || !(await isTemporary(response))) return response;
        const after = Number(response.headers.get("Retry-After") ?? 0) * 1000 || 0;
        if (after > longestPause) return response;
        pause += after;
        await response.body?.cancel();
      } catch (error) {
        if (last || request.signal.aborted) throw error;
      }
      await sleep(pause, request.signal);
    }
  };
}

async function isTemporary(response: Response): Promise<boolean> {
  if (response.status === 503) return true;
  if (response.status !== 409) return false;
  try {
    return ((await response.clone().json()) as { code?: unknown }).code === "request_in_progress";
  } catch {
    return false; // no problem document: it isn't the server's answer
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener("abort", end, { once: true });
  });
}
