import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { Request, Response } from "express";
import { codedTag } from "./answer.ts";
import { acceptedCoding, type Coding, compressed, compressedFrom } from "./compression.ts";

/** Milliseconds for which a file stays in memory after a request. */
const usualRetention = 60_000;

interface ReadFile {
  readonly loading: ReturnType<typeof load>;
  /** Its end forgets the file. */
  readonly timer: NodeJS.Timeout;
}

/** Files that every client can read, by name. No other name is looked up on the disk. An idle server holds none. */
export class PublicFiles {
  private readonly read = new Map<string, ReadFile>();

  /** `places`: absolute paths. */
  constructor(
    private readonly places: ReadonlyMap<string, string>,
    private readonly retention = usualRetention,
  ) {}

  has(name: string): boolean {
    return this.places.has(name);
  }

  /** Answers with the file, compressed for clients that accept it. The caller has found its name. */
  async send(name: string, request: Request, response: Response): Promise<void> {
    const file = await this.get(name);
    const coding = acceptedCoding(request.headers["accept-encoding"]?.toString());
    const { content, tag } = coding === null ? file : await file.in(coding);
    response.set({ ETag: tag, Vary: "Accept-Encoding" }).type(extname(name));
    if (tag !== file.tag) response.set("Content-Encoding", coding as string);
    response.send(content);
  }

  private get(name: string): ReturnType<typeof load> {
    const known = this.read.get(name);
    if (known !== undefined) {
      known.timer.refresh();
      return known.loading;
    }
    const loading = load(this.places.get(name) as string);
    const timer = setTimeout(() => this.read.delete(name), this.retention).unref();
    this.read.set(name, { loading, timer });
    return loading;
  }
}

interface Representation {
  readonly content: Buffer;
  readonly tag: string;
}

/** Loads a file. Its ETag is a content hash, because package installers reset modification times. */
async function load(
  place: string,
): Promise<Representation & { readonly in: (coding: Coding) => Promise<Representation> }> {
  const content = await readFile(place);
  const plain = { content, tag: `"${createHash("sha256").update(content).digest("base64url")}"` };
  const coded = new Map<Coding, Representation>();
  const inCoding = async (coding: Coding): Promise<Representation> => {
    const cached = coded.get(coding);
    if (cached !== undefined || content.length < compressedFrom) return cached ?? plain;
    const bytes = await compressed(content, coding);
    if (bytes === null) return plain;
    const made = { content: bytes, tag: codedTag(plain.tag, coding) };
    coded.set(coding, made);
    return made;
  };
  return { ...plain, in: inCoding };
}
