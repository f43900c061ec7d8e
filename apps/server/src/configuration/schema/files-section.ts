import { duration, listOf, path, text, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, section } from "../fields.ts";

const gibibyte = 1_073_741_824;
/** One pebibyte. */
const maximum = 2 ** 50;

const extensions = listOf(
  text({
    expected: "a file extension in lower case without a dot, such as pdf",
    fits: (extension) => /^[^./\\:\s]+$/.test(extension) && extension === extension.toLowerCase(),
  }),
);

/** Uploaded files. The limits apply to each database. */
export const filesSection = section({
  directory: optionalField("FILES_DIRECTORY", path(), {
    doc: "Directory of uploaded files, with a subdirectory for each database. Back it up together with the databases. Defaults to `files` in `dataDir`.",
  }),
  maxSize: field("FILES_MAX_SIZE", wholeNumber(1, maximum), gibibyte, {
    doc: "Maximum size of a file in bytes. Larger files are answered 801.",
  }),
  maxBytes: field("FILES_MAX_BYTES", wholeNumber(0, maximum), 0, {
    doc: "Maximum size in bytes of all files of one database, with unfinished uploads. Further bytes are answered 702. Deleted files count until the server has removed them. 0 disables the limit.",
  }),
  maxOpenUploads: field("FILES_MAX_OPEN_UPLOADS", wholeNumber(0, 1_000_000), 100, {
    doc: "Maximum number of unfinished uploads of one user in one database. Further uploads are answered 706. 0 disables the limit.",
  }),
  uploadLifetime: field("FILES_UPLOAD_LIFETIME", duration("1m", "366d"), "1d", {
    doc: "Time after the last chunk until an unfinished upload expires.",
  }),
  allowedExtensions: field("FILES_ALLOWED_EXTENSIONS", extensions, [], {
    doc: "Accepted extensions of file names. Other files are answered 502. Empty accepts all.",
  }),
  forbiddenExtensions: field("FILES_FORBIDDEN_EXTENSIONS", extensions, [], {
    doc: "Refused extensions of file names, also if they are in `allowedExtensions`. Such files are answered 502.",
  }),
});
