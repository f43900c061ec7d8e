import type { Digest, Repositories } from "@sallyport/storage";
import { equal, failsWith } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { freshChannel, freshDigest } from "../../fixtures/digests.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { unlimitedSessions, minute } from "../../fixtures/policy.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { Visitor, visitorChecks } from "../../fixtures/visitor.ts";

/** The next outgoing number, and the verdict on an incoming number. */
const numbersOf = async ({ channels }: Repositories, digest: Digest, number: bigint) => [
  await channels.reserveOut(digest, 1),
  await channels.acceptIn(digest, number),
];

/** Asserts that a channel no longer exists. */
async function assertClosed(r: Repositories, digest: Digest, what: string): Promise<void> {
  equal(await numbersOf(r, digest, 0n), [null, "gone"], `the answer of the channel of ${what}`);
}

export const channelLifeChecks: readonly Check[] = visitorChecks("channels", {
  "returns a channel as opened with its session": async ({ r, visitor }) => {
    const channels = [
      ...hostileTexts.map((wrappedKey) => ({ ...freshChannel(), wrappedKey })),
      { ...freshChannel(), ivPrefix: new Uint8Array(3) },
    ];
    for (const channel of channels) {
      const digest = await visitor.openSecure(r, { channel });
      const { session } = await visitor.admitAs(r, "secure", digest);
      equal(session?.channel?.wrappedKey, channel.wrappedKey, "the wrapped key");
      equal([...(session?.channel?.ivPrefix ?? [])], [...channel.ivPrefix], "the prefix");
    }
  },

  "provides channels for secure sessions only": async ({ r, visitor }) => {
    for (const mode of ["session", "token"] as const)
      await assertClosed(r, await visitor.open(r, { mode }), `a session of mode ${mode}`);
    await assertClosed(r, freshDigest(), "an unknown session");
  },

  "requires a channel exactly for sessions in secure mode": async ({ r, visitor }) => {
    const { channel: _channel, ...bare } = visitor.newSession({ mode: "secure" });
    const misfits = [
      bare,
      visitor.newSession({ channel: freshChannel() }),
      visitor.newSession({ mode: "token", channel: freshChannel() }),
      visitor.newSession({ mode: "secure", channel: { ...freshChannel(), ivPrefix: new Uint8Array(4) } }),
    ];
    for (const session of misfits)
      await failsWith(799, () => r.sessions.open(session, unlimitedSessions), "opening a session");
    equal(await r.sessions.count(), 0, "number of live sessions");
  },

  "copies channel data from and to the caller": async ({ r, visitor }) => {
    const ivPrefix = Uint8Array.of(1, 2, 3);
    const session = visitor.newSession({ mode: "secure", channel: { wrappedKey: "wrapped", ivPrefix } });
    const opening = r.sessions.open(session, unlimitedSessions);
    ivPrefix.fill(9);
    await opening;
    const prefix = async () =>
      (await visitor.admitAs(r, "secure", session.digest)).session?.channel?.ivPrefix ?? new Uint8Array();
    (await prefix()).fill(8);
    equal([...(await prefix())], [1, 2, 3], "the prefix");
  },

  "closes the channel when its session ends, in every way": async ({ r, advance, visitor }) => {
    const other = await Visitor.create(r);
    const [ended, endedWithAll] = [await visitor.openSecure(r), await visitor.openSecure(r)];
    const stays = await other.openSecure(r);
    await r.sessions.end({ digest: ended });
    await assertClosed(r, ended, "an ended session");
    await r.sessions.end({ userId: visitor.account.userId });
    await assertClosed(r, endedWithAll, "a session ended with all sessions of its user");
    equal(await r.channels.acceptIn(stays, 0n), "fresh", "a message number of a live session");
    advance(unlimitedSessions.idleTimeout + minute);
    await r.sessions.sweep(10);
    await assertClosed(r, stays, "a swept session");
  },

  "starts a new channel when a session of the same device is replaced": async ({ r, visitor }) => {
    const device = { deviceId: "phone" };
    const policy = { ...unlimitedSessions, perDevice: 1 };
    const first = await visitor.openSecure(r, device, policy);
    await r.channels.reserveOut(first, 100);
    await r.channels.acceptIn(first, 5n);
    const channel = freshChannel();
    const second = await visitor.openSecure(r, { ...device, channel }, policy);
    await assertClosed(r, first, "a replaced session");
    const { session } = await visitor.admitAs(r, "secure", second);
    equal(session?.channel?.wrappedKey, channel.wrappedKey, "the wrapped key");
    equal(await numbersOf(r, second, 5n), [0n, "fresh"], "the first numbers");
    const plain = await visitor.open(r, device, policy);
    await assertClosed(r, second, "a session replaced by one of another mode");
    const third = await visitor.openSecure(r, device, policy);
    equal(await visitor.isAdmitted(r, plain), false, "whether the replaced session is admitted");
    equal(await numbersOf(r, third, 5n), [0n, "fresh"], "the first numbers after a session of another mode");
  },

  "opens no channel for a refused session": async ({ r, visitor }) => {
    await visitor.openSecure(r, {}, { ...unlimitedSessions, limit: 1 });
    for (const limits of [{ limit: 1 }, { perUserLimit: 1 }]) {
      const session = visitor.newSession({ mode: "secure" });
      await failsWith(315, () => r.sessions.open(session, { ...unlimitedSessions, ...limits }), "opening a session");
      await assertClosed(r, session.digest, "a refused session");
    }
  },

  "rolls back a channel with the transaction that opened it": async ({ storage, r, visitor }) => {
    const session = visitor.newSession({ mode: "secure" });
    await rolledBack(storage, async (inside) => {
      await inside.sessions.open(session, unlimitedSessions);
      equal(await inside.channels.reserveOut(session.digest, 1), 0n, "the first number inside the transaction");
    });
    await assertClosed(r, session.digest, "a rolled-back session");
  },
});
