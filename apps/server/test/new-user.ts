import type { ObjectId } from "@sallyport/storage";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import type { RunningServer } from "../src/index.ts";
import { repositoriesOf } from "./repositories-of.ts";

const digests = new NodeDigests();
const first = "the first password";

export interface TestUser {
  readonly name: string;
  readonly userId: ObjectId;
}

let users = 0;

/** A new user with the first password and an address. */
export async function newUser(server: RunningServer, alias = ""): Promise<TestUser> {
  const { accounts, objects } = repositoriesOf(server, alias);
  users += 1;
  const name = `someone ${process.pid} ${users}`;
  const [user] = await objects.insert([{ className: "User", attributes: { Name: name } }]);
  if (user === undefined) throw new Error("No user was created.");
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  const secret = await hasher.hash(digests.md5(first));
  await accounts.create(
    { userId: user.id, loginName: name, secret, administrator: false, email: `someone-${users}@mail.example` },
    name,
  );
  return { name, userId: user.id };
}
