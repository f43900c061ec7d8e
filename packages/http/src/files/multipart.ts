import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { streamTypes } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import { type IncomingFile } from "@sallyport/core";
import busboy from "busboy";
import type { Request, Response } from "express";
import multer from "multer";
import type { StreamedBody } from "../route.ts";

const limits = { files: 1, fields: 10, parts: 20, fieldSize: 4_096, headerPairs: 20 };

/** Bytes of a form around its file: boundaries, headers and fields. */
const maxBytesAround = 256 * 1024;

/** The parser accepts no more bytes of headers in a part. */
const maxPartHeaders = 16 * 1024;

/** A quoted or plain file name up to its first control character. A tab is part of a header. */
const badFileName = /filename\*?=(?:"(?:\\"|[^"])*?[^\t -~\x80-\xff]|(?!")[^\s;]*?[^\s -~\x80-\xff])/i;

const forbidden = "The file name contains a forbidden character.";

interface FileReading {
  /** Maximum size of the file. */
  readonly maxSize: number;
  readonly parser?: "busboy" | "multer";
}

/**
 * Begins to read the file of a body. Its fields are complete at the end of its bytes, and so is the whole body. Throws 801
 * before the first byte for a body that is longer than any file, so that a client that waits for 100 Continue sends none.
 */
export async function incomingFile(
  body: StreamedBody,
  { maxSize, parser = "busboy" }: FileReading,
): Promise<IncomingFile> {
  const isForm = body.type === streamTypes.multipart;
  if ((body.length ?? 0) > maxSize + (isForm ? maxBytesAround : 0)) throw new ServiceError(801);
  if (isForm) return parser === "busboy" ? readPart(body) : readForm(body);
  return { name: null, mediaType: null, bytes: body.bytes, fields: new Map() };
}

/**
 * Reads a multipart body to its file. The name of the field can be empty, as today's clients send it. Throws 500 without
 * a file, 503 for a second one (at the end of the bytes), 307 over the limits, 502 for a file name that no header can have,
 * and 699 for a malformed or incomplete body.
 */
async function readPart({ contentType, bytes }: StreamedBody): Promise<IncomingFile> {
  const headers = { "content-type": contentType };
  const parser = busboy({ headers, limits, preservePath: true, defParamCharset: "utf8" });
  const fields = new Map<string, string>();
  const counted = new CountedBytes(bytes);
  return new Promise((resolve, reject) => {
    parser.on("file", (_field, stream, { filename, mimeType }) => {
      // The parser destroys the file with an error, also if no one iterates it after a refusal.
      stream.on("error", () => {});
      const name = filename === undefined ? null : unescaped(filename);
      resolve({ name, mediaType: mimeType, bytes: bytesOf(stream, { counted, ended }), fields });
    });
    parser.on("field", (name: string | undefined, value, { valueTruncated }) => {
      if (valueTruncated) parser.destroy(tooMany("A field of the form is too long."));
      if (name === undefined) return;
      if (fields.has(name)) parser.destroy(tooMany("A field of the form is repeated."));
      fields.set(name, value);
    });
    parser.on("filesLimit", () => parser.destroy(new ServiceError(503)));
    for (const limit of ["partsLimit", "fieldsLimit"] as const) parser.on(limit, () => parser.destroy(tooMany()));
    const ended = pipeline(Readable.from(counted, { highWaterMark: 1 }), parser).catch((error: unknown) => {
      throw counted.faultOf(error);
    });
    // After `resolve` this changes nothing.
    ended.then(() => reject(new ServiceError(500))).catch(reject);
  });
}

/** The same for a form, with multer: it hands the file to a storage engine. */
async function readForm({ contentType, bytes }: StreamedBody): Promise<IncomingFile> {
  const fields = new Map<string, string>();
  const counted = new CountedBytes(bytes);
  // Multer needs no more of a request than this.
  const request = Object.assign(Readable.from(counted, { highWaterMark: 1 }), {
    headers: { "content-type": contentType, "transfer-encoding": "chunked" },
    body: {} as Readonly<Record<string, unknown>>,
  });
  return new Promise((resolve, reject) => {
    const storage: multer.StorageEngine = {
      _handleFile: (_request, { stream, originalname, mimetype }, stored) => {
        stream.once("end", () => stored(null, {}));
        stream.once("error", stored);
        resolve({ name: originalname, mediaType: mimetype, bytes: bytesOf(stream, { counted, ended }), fields });
      },
      _removeFile: (_request, _file, removed) => removed(null),
    };
    const read = multer({
      storage,
      limits: { ...limits, fieldNestingDepth: 0, fieldArrayIndexLimit: 0 },
      preservePath: true,
      defParamCharset: "utf8",
      streamHandler: pipeNamed,
    } as multer.Options).any();
    const ended = new Promise<void>((finish, fail) => {
      read(request as unknown as Request, {} as Response, (error: unknown) => {
        if (error !== undefined) return fail(counted.faultOf(error));
        for (const [name, value] of Object.entries(request.body)) {
          // A repeated field has several values.
          if (typeof value !== "string") return fail(tooMany("A field of the form is repeated."));
          fields.set(name, value);
        }
        finish();
      });
    });
    ended.then(() => reject(new ServiceError(500))).catch(reject);
  });
}

/** Pipes a form to multer's parser. Multer refuses a file whose field has no name, and a field without a name has no use. */
function pipeNamed(form: Readable, parser: Writable): void {
  const emit = parser.emit.bind(parser);
  parser.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const [name, ...others] = args;
    if (event === "field" && !name) return true;
    return event === "file" && !name ? emit(event, "file", ...others) : emit(event, ...args);
  };
  form.pipe(parser);
}

/** The bytes of a file, then the end of its form. */
async function* bytesOf(
  stream: Readable,
  { counted, ended }: { readonly counted: CountedBytes; readonly ended: Promise<void> },
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    counted.isInFile = true;
    for await (const piece of stream) yield piece as Buffer;
    counted.isInFile = false;
    await ended;
  } catch (error) {
    throw faultOf(error);
  } finally {
    counted.stop();
  }
}

/** The bytes of a form on their way to the parser. Those around the file are limited. */
class CountedBytes implements AsyncIterable<Uint8Array> {
  isInFile = false;
  private around = 0;
  /** The latest bytes around the file, enough for the headers of a part. */
  private latest = "";
  private readonly source: AsyncIterator<Uint8Array>;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.source = bytes[Symbol.asyncIterator]();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (let next = await this.source.next(); next.done !== true; next = await this.source.next()) {
      if (!this.isInFile) {
        this.around += next.value.length;
        this.latest = (this.latest + Buffer.from(next.value).toString("latin1")).slice(-maxPartHeaders);
      }
      if (this.around > maxBytesAround) throw malformed("The form has too many bytes around its file.");
      yield next.value;
    }
  }

  /** The error of a parser; 502 if it ended at a control character of a file name. */
  faultOf(error: unknown): ServiceError {
    return badFileName.test(this.latest) ? new ServiceError(502, { detail: forbidden }) : faultOf(error);
  }

  /** Reads no more. */
  stop(): void {
    void this.source.return?.();
  }
}

/** Failure of a parser as an error of the catalogue. */
function faultOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof multer.MulterError)) return malformed(error instanceof Error ? error.message : undefined);
  const isSecondFile = error.code === "LIMIT_FILE_COUNT" || error.code === "LIMIT_UNEXPECTED_FILE";
  return isSecondFile ? new ServiceError(503) : tooMany(error.message);
}

function malformed(detail = "The form is malformed."): ServiceError {
  return new ServiceError(699, { detail });
}

function tooMany(detail = "The form has too many fields."): ServiceError {
  return new ServiceError(307, { detail });
}

/** Forms escape these three characters in names (WHATWG HTML), and no other. Multer unescapes them, too. */
function unescaped(name: string): string {
  return name.replaceAll(/%(0A|0D|22)/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
