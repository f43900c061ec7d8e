// node client.mjs [address of the server]
import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
} from "node:crypto";

const [server = "http://127.0.0.1:8080"] = process.argv.slice(2);
const appKey = "demo-app-key";
const oaepHash = "sha256";

const { data } = await (await fetch(`${server}/v2/login/secure/key`, { headers: { appkey: appKey } })).json();
const session = await logIn(data.key, { user: "demo", pass: "demo", appNames: ["demo-app"] });
console.log(JSON.stringify(await session.call("GET", "/v1/objects/Customer?perPage=2")));
console.log(JSON.stringify(await session.call("POST", "/v1/logout", {})));

/** Opens a session; `pem` is the server's key. */
async function logIn(pem, fields) {
  const serverKey = createPublicKey(pem);
  const capacity = serverKey.asymmetricKeyDetails.modulusLength / 8 - 66;
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const credentials = inBlocks(Buffer.from(JSON.stringify(fields)), capacity, (block) =>
    publicEncrypt({ key: serverKey, oaepHash }, block),
  );

  const answer = await fetch(`${server}/v2/login/secure`, {
    method: "POST",
    headers: { appkey: appKey, "Content-Type": "application/json" },
    body: JSON.stringify({
      credentials: credentials.toString("base64"),
      publicKey: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    }),
  });
  const text = await answer.text();
  if (answer.headers.get("Encrypted") === null) throw new Error(text);
  const envelope = inBlocks(Buffer.from(text, "base64"), 256, (block) =>
    privateDecrypt({ key: privateKey, oaepHash }, block),
  );
  return secureSession(JSON.parse(envelope).data);
}

function inBlocks(bytes, size, operation) {
  const blocks = [];
  for (let at = 0; at < bytes.length; at += size) blocks.push(operation(bytes.subarray(at, at + size)));
  return Buffer.concat(blocks);
}

/** The traffic of a session, made of `data` of the log-in. */
function secureSession({ sessionId, symmetricKey, ivPrefix }) {
  const key = Buffer.from(symmetricKey, "base64");
  const prefix = Buffer.from(ivPrefix, "base64");
  let nextNumber = 0n;

  /** Sends a request, with or without a message, and gives the envelope of the answer. */
  async function call(method, path, message) {
    const headers = { appkey: appKey, "Secure-Token": sessionId };
    let body;
    if (message !== undefined) {
      const iv = counterBlock(nextNumber++);
      headers["Content-Type"] = "application/text";
      headers["Encrypted"] = `v=1;iv=${iv.toString("base64")}`;
      body = createCipheriv("aes-256-ctr", key, iv).update(JSON.stringify(message)).toString("base64");
    }
    const answer = await fetch(server + path, { method, headers, body });
    const text = await answer.text();
    const iv = ivOf(answer);
    if (iv === null) throw new Error(text);
    return JSON.parse(createDecipheriv("aes-256-ctr", key, iv).update(text, "base64"));
  }

  /** The first counter block of a message to the server. */
  function counterBlock(number) {
    const block = Buffer.alloc(16);
    block.writeUInt8(1, 0);
    prefix.copy(block, 1);
    block.writeBigUInt64BE(number, 4);
    return block;
  }

  /** The counter block of an answer, `null` if it is in clear text. */
  function ivOf(answer) {
    const header = answer.headers.get("Encrypted");
    if (header === null) return null;
    const iv = Buffer.from(header.replace(/^v=1;iv=/, ""), "base64");
    if (iv.length !== 16 || iv[0] !== 2 || !iv.subarray(1, 4).equals(prefix))
      throw new Error(`no answer of this session: ${header}`);
    return iv;
  }

  return { call };
}
