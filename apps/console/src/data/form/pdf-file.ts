import { getDocument, type PDFDocumentProxy, PDFWorker } from "pdfjs-dist";

/** Vite puts the file among those of the page. */
const workerUrl = new URL("pdfjs-dist/build/pdf.worker.min.mjs", import.meta.url).href;

interface ScriptPolicy {
  createScriptURL(address: string): string;
}

interface PolicyHost {
  /** Absent in browsers without trusted types. */
  readonly trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy };
}

/** The one policy that the header of the page names. For any address, it gives the worker of this file. */
const policy = (globalThis as PolicyHost).trustedTypes?.createPolicy("console-worker", {
  createScriptURL: () => workerUrl,
});

/** Pixels of an image in a PDF, at most. Larger ones are left out. */
const maxPixels = 16_000_000;

export interface OpenedPdf {
  /** Rejects if the bytes are no PDF, or a locked one. */
  readonly document: Promise<PDFDocumentProxy>;
  /** Ends the worker, also during its work. */
  close(): void;
}

/** Opens a PDF in a worker of its own, without scripts, forms and addresses of the file. */
export function openPdf(bytes: Uint8Array): OpenedPdf {
  const port = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: "module" });
  const worker = PDFWorker.create({ port });
  const task = getDocument({
    // The worker takes the bytes away.
    data: bytes.slice(),
    worker,
    useWasm: false,
    // The decoder of the browser would take the size that the image states itself.
    isImageDecoderSupported: false,
    wasmUrl: new URL("pdf/", workerUrl).href,
    enableXfa: false,
    maxImageSize: maxPixels,
    verbosity: 0,
  });
  const failed = new Promise<never>((_resolve, reject) => {
    port.addEventListener("error", () => reject(new Error("The worker has failed.")));
  });
  return {
    document: Promise.race([task.promise, failed]),
    close: () => {
      void task.destroy().catch(() => {});
      worker.destroy();
      port.terminate();
    },
  };
}
