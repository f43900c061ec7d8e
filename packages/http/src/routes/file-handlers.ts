import { type fileOperations, headerNames } from "@sallyport/contract";
import { objectReference, ServiceError, type SingleReference } from "@sallyport/storage";
import * as core from "@sallyport/core";
import type { ChunkRange, SessionContext, StateOptions, UploadState } from "@sallyport/core";
import { parseContentRange } from "../files/byte-ranges.ts";
import { incomingFile } from "../files/multipart.ts";
import { objectSuccess, singleReference } from "./object-handlers.ts";
import type { Handlers, Served, StreamedBody } from "../route.ts";

/** The use cases of files. */
export type FileUseCases = Pick<
  typeof core,
  | "beginUpload"
  | "readUpload"
  | "storeChunk"
  | "finishUpload"
  | "cancelUpload"
  | "storeFile"
  | "openFile"
  | "createFileLink"
  | "openFileLink"
>;

const refuseWithoutId = async (): Promise<never> => {
  throw new ServiceError(601);
};

/** Uploads in several requests, files in one request, and links to files. */
export const fileHandlers = (files: FileUseCases = core): Handlers<typeof fileOperations> => ({
  beginUpload: async (context, { query }) => stateOf(context, await files.beginUpload(context, query)),
  rejectUploadWithoutId: refuseWithoutId,
  rejectCancelWithoutId: refuseWithoutId,
  readUpload: async (context, { parameter, query }) =>
    stateOf(context, await files.readUpload(context, parameter("uploadId"), query)),
  uploadWhole: async (context, { parameter, stream, query }) =>
    store(files, context, { ...query, uploadId: parameter("uploadId"), range: null, stream }),
  continueUpload: async (context, { parameter, stream, header, query, expectedVersions }) => {
    const uploadId = parameter("uploadId");
    const contentRange = header(headerNames.contentRange);
    const { replaceOID, name, mediaType, hash, ...created } = query;
    if (stream !== null) return store(files, context, { uploadId, range: rangeOf(contentRange), stream, hash });
    if (contentRange !== undefined) throw new ServiceError(604);
    const replace = replaceOID === undefined ? null : fileReference(replaceOID);
    if (replace !== null && created.className !== undefined)
      throw new ServiceError(307, { detail: "at /className: A replaced object keeps its class." });
    return objectSuccess(
      await files.finishUpload(context, uploadId, {
        ...created,
        description: { name, mediaType },
        replace,
        expectedVersions,
      }),
    );
  },
  cancelUpload: (context, { parameter }) => files.cancelUpload(context, parameter("uploadId")),
  storeFile: async (context, { stream, query }) => {
    const { maxSize } = context.database.policy.files;
    const receive = () => incomingFile(stream, { maxSize, parser: "multer" });
    return objectSuccess(await files.storeFile(context, receive, query));
  },
  downloadFile: async (context, { parameter }) => ({
    file: await files.openFile(context, singleReference(parameter("idOrUuid"))),
  }),
  createFileLink: async (context, { parameter, body, settings: { publicUrl, basePath } }) => {
    const { expiresIn, session } = body;
    const { alias, storeTime } = context.database;
    const { signature, expiresAt } = await files.createFileLink(context, singleReference(parameter("idOrUuid")), {
      lifetime: expiresIn * 1_000,
      endsWithSession: session,
    });
    const place = [publicUrl ?? basePath, ...(alias === "" ? [] : [alias]), "v1", "link", signature];
    return { data: { url: place.join("/"), expiresAt: storeTime.format(expiresAt) } };
  },
  downloadLinkedFile: async (context, { parameter }) => ({
    file: await files.openFileLink(context, parameter("signature")),
    embeddable: true,
  }),
});

function stateOf({ database }: SessionContext, { expiresAt, ...state }: UploadState) {
  return { data: { ...state, expiresAt: database.storeTime.format(expiresAt) } };
}

function rangeOf(header: string | undefined): ChunkRange {
  const range = parseContentRange(header ?? "");
  if (range === undefined) throw new ServiceError(600, { detail: "The header Content-Range is absent or malformed." });
  return range;
}

function fileReference(text: string): SingleReference {
  const reference = objectReference(text);
  if (reference === null || reference.kind === "class") throw new ServiceError(307, { detail: "at /replaceOID" });
  return reference;
}

interface SentBytes extends StateOptions {
  readonly uploadId: string;
  readonly range: ChunkRange | null;
  readonly stream: StreamedBody;
}

async function store(
  files: FileUseCases,
  context: Served<SessionContext>,
  { uploadId, range, stream, hash }: SentBytes,
) {
  const receive = () => incomingFile(stream, context.database.policy.files);
  return stateOf(context, await files.storeChunk(context, uploadId, range, receive, { hash }));
}
