import { choice, flag, listOf, path, text, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, section } from "../fields.ts";
import { isHttpUrl } from "./network-texts.ts";

const gibibyte = 1_073_741_824;
/** One pebibyte. */
const maximum = 2 ** 50;

const extensions = listOf(
  text({
    expected: "a file extension in lower case without a dot, such as pdf",
    fits: (extension) => /^[^./\\:\s]+$/.test(extension) && extension === extension.toLowerCase(),
  }),
);

const endpoint = text({
  expected: "an http or https URL, such as https://s3.eu-central-1.amazonaws.com",
  fits: isHttpUrl,
});
const bucketName = text({ expected: "the name of a bucket", fits: (name) => /^[A-Za-z0-9][\w.-]{1,62}$/.test(name) });
const keyPrefix = text({
  expected: "letters, digits, - and _ in parts that end with /, such as sallyport/",
  fits: (prefix) => /^([\w-]+\/)*$/.test(prefix) && prefix.length <= 200,
});

/** Uploaded files. The limits apply to each database. */
export const filesSection = section({
  store: field("FILES_STORE", choice("disk", "s3"), "disk", {
    doc: "Where the bytes of uploaded files are: `disk` is the directory `directory`, `s3` the object storage `s3`.",
  }),
  directory: optionalField("FILES_DIRECTORY", path(), {
    doc: "Directory of uploaded files, with a subdirectory for each database. Back it up together with the databases. Defaults to `files` in `dataDir`.",
  }),
  s3: section({
    endpoint: optionalField("FILES_S3_ENDPOINT", endpoint, {
      doc: "URL of an S3-compatible object storage. Required with `store` `s3`.",
    }),
    region: field("FILES_S3_REGION", text(), "us-east-1", { doc: "Region of the bucket." }),
    bucket: optionalField("FILES_S3_BUCKET", bucketName, {
      doc: "Existing bucket for the files. Required with `store` `s3`.",
    }),
    prefix: field("FILES_S3_PREFIX", keyPrefix, "", {
      doc: "Begins the keys of all objects. The alias of the database follows. Server groups that share a bucket need different prefixes.",
    }),
    accessKeyId: optionalField("FILES_S3_ACCESS_KEY_ID", text(), {
      secret: true,
      doc: "Access key id. Required with `store` `s3`.",
    }),
    secretAccessKey: optionalField("FILES_S3_SECRET_ACCESS_KEY", text(), {
      secret: true,
      doc: "Secret access key. Required with `store` `s3`.",
    }),
    pathStyle: field("FILES_S3_PATH_STYLE", flag(), true, {
      doc: "Sends the name of the bucket in the path of URLs. `false` sends it in the host name, which some providers require.",
    }),
  }),
  encrypt: field("FILES_ENCRYPT", flag(), false, {
    doc: "Encrypts the bytes of new files under the master key. Existing files stay as they are.",
  }),
  maxSize: field("FILES_MAX_SIZE", wholeNumber(1, maximum), gibibyte, {
    doc: "Maximum size of a file in bytes. Larger files are answered 801.",
  }),
  maxBytes: field("FILES_MAX_BYTES", wholeNumber(0, maximum), 0, {
    doc: "Maximum size in bytes of all files of one database, with unfinished uploads. Further bytes are answered 702. Deleted files count until the server has removed them. 0 disables the limit.",
  }),
  allowedExtensions: field("FILES_ALLOWED_EXTENSIONS", extensions, [], {
    doc: "Accepted extensions of file names. Other files are answered 502. Empty accepts all.",
  }),
  forbiddenExtensions: field("FILES_FORBIDDEN_EXTENSIONS", extensions, [], {
    doc: "Refused extensions of file names, also if they are in `allowedExtensions`. Such files are answered 502.",
  }),
  linksOfSecureSessions: field("FILES_LINKS_OF_SECURE_SESSIONS", flag(), false, {
    doc: "Lets secure sessions create links to files. The bytes behind a link are not encrypted, except by TLS.",
  }),
});
