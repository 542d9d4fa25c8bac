// What asks a worker: one question at a time, the others wait; of two with the same key the later one counts. A question
// that takes too long is stopped: by an interrupt where memory can be shared with the worker, else the worker ends and
// another begins.

const PATIENCE = 1_500;  // milliseconds that an interrupt may take

export class Stopped extends Error {}

// tell(state) is called with "starting", "ready", "busy", "failed: ...".
export function makeClient(tell, makeWorker = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" })) {
  let worker = null;
  let ready = false;
  let current = null;
  let waiting = [];
  let last = 0;
  const shared = globalThis.crossOriginIsolated ? new SharedArrayBuffer(1) : null;
  const flag = shared ? new Uint8Array(shared) : null;

  function begin() {
    ready = false;
    if (flag) flag[0] = 0;  // an interrupt that the last worker did not take
    tell("starting");
    worker = makeWorker();
    worker.addEventListener("message", ({ data }) => receive(data));
    worker.addEventListener("error", (event) => fail(event.message || "the worker cannot be started"));
    worker.postMessage({ start: true, shared });
  }

  function fail(reason) {
    ready = false;
    tell(`failed: ${reason}`);
    for (const one of [current, ...waiting].filter(Boolean)) one.reject(new Error(reason));
    current = null;
    waiting = [];
  }

  function receive(data) {
    if (data.ready) {
      ready = true;
      next();
    } else if (data.failed) {
      fail(data.failed);
    } else if (current && data.id === current.id) {
      if (data.progress) {
        current.onProgress?.(data.progress);
      } else {
        const done = current;
        current = null;
        clearTimeout(done.timer);
        if (flag) flag[0] = 0;
        done.resolve(data.answer);
        next();
      }
    }
  }

  function next() {
    if (!ready || current) return;
    current = waiting.shift() ?? null;
    tell(current ? "busy" : "ready");
    if (current) worker.postMessage({ id: current.id, question: current.question, needs: current.needs });
  }

  function restart() {
    worker.terminate();
    const stopped = current;
    current = null;
    begin();
    stopped?.reject(new Stopped("stopped"));
  }

  return {
    start() {
      if (!worker) begin();
    },
    // Resolves to the answer; rejects with Stopped where it was stopped or a later question took its place.
    ask(question, { key = null, needs = null, onProgress = null } = {}) {
      this.start();
      if (key !== null) {
        for (const one of waiting.filter((other) => other.key === key)) one.reject(new Stopped("asked again"));
        waiting = waiting.filter((one) => one.key !== key);
      }
      return new Promise((resolve, reject) => {
        last += 1;
        waiting.push({ id: last, question, key, needs, onProgress, resolve, reject, timer: null });
        next();
      });
    },
    stop() {
      for (const one of waiting) one.reject(new Stopped("stopped"));
      waiting = [];
      if (!current) return;
      if (!flag) {
        restart();
        return;
      }
      const asked = current;
      Atomics.store(flag, 0, 2);
      asked.timer = setTimeout(() => {
        if (current === asked) restart();
      }, PATIENCE);
    },
    end() {
      worker?.terminate();
    },
  };
}
