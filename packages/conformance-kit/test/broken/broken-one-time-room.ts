import type { OneTimeRepository, OneTimeRoom, OneTimeSecret } from "@sallyport/core";
import { type BrokenAdapter, broken, type Fault, pause } from "./broken-adapter.ts";

const each = "is that of each subject and kind";
const all = "is that of all of a kind, too";
const order = "is used up by a subject before it is in all";
const any = "is for any number where it is not limited";
const secrets = "is for secrets like any other";
const free = "is free again when one is spent, revoked or over";
const race = "has its last place taken once, of all who come at once";
const meanwhile = "is not there while another's place is not given back";

type Within = OneTimeRepository["issueWithin"];

/** Giving out with room is replaced, and everything else is as it was. */
const within =
  (make: (r: OneTimeRepository) => Within): (() => Fault) =>
  () =>
  (r) => ({ oneTime: { issueWithin: make(r.oneTime) } });

const changed = (
  change: (secret: Parameters<Within>[0], room: OneTimeRoom) => readonly [Parameters<Within>[0], OneTimeRoom],
): (() => Fault) => within((r) => (secret, room) => r.issueWithin(...change(secret, room)));

/** Faults in the room of secrets that are good once. */
export const brokenOneTimeRoom: readonly BrokenAdapter[] = [
  broken(
    "gives out as many secrets as anybody asks for",
    [each, all, order, any, secrets, free, race, meanwhile],
    changed((secret) => [secret, { ofSubject: 0, inAll: 0 }]),
  ),

  broken(
    "gives out one secret more than there is room for",
    [each, all, order, any, race, meanwhile],
    changed((secret, { ofSubject, inAll }) => [
      secret,
      { ofSubject: ofSubject && ofSubject + 1, inAll: inAll && inAll + 1 },
    ]),
  ),

  broken(
    "leaves the last place for secrets empty",
    [each, all, race],
    changed((secret, { ofSubject, inAll }) => [
      secret,
      { ofSubject: ofSubject && Math.max(1, ofSubject - 1), inAll: inAll && Math.max(1, inAll - 1) },
    ]),
  ),

  broken(
    "knows no room of a subject",
    [each, order, any, secrets, free, race, meanwhile],
    changed((secret, room) => [secret, { ...room, ofSubject: 0 }]),
  ),

  broken(
    "knows no room in all",
    [all, order, free, race, meanwhile],
    changed((secret, room) => [secret, { ...room, inAll: 0 }]),
  ),

  broken(
    "takes no limit for no room",
    any,
    within(
      (r) => async (secret, room) => (room.ofSubject === 0 && room.inAll === 0 ? "full" : r.issueWithin(secret, room)),
    ),
  ),

  broken(
    "gives each subject the room of all",
    [all, order, race],
    changed((secret, { ofSubject, inAll }) => [secret, { ofSubject: ofSubject || inAll, inAll: 0 }]),
  ),

  broken(
    "gives all subjects the room of one",
    [each, secrets],
    within((r) => async (secret, { ofSubject, inAll }) => {
      const outcome = await r.issueWithin(secret, { ofSubject: 0, inAll: ofSubject || inAll });
      return outcome === "full" && ofSubject > 0 ? "subjectFull" : outcome;
    }),
  ),

  broken(
    "says of whom the room is in any case that it is in all",
    [each, order, any, secrets, race, meanwhile],
    within((r) => async (secret, room) => {
      const outcome = await r.issueWithin(secret, room);
      return outcome === "subjectFull" ? "full" : outcome;
    }),
  ),

  broken(
    "takes subjects in any case for one",
    each,
    changed((secret, room) => [{ ...secret, subject: secret.subject.toLowerCase() }, room]),
  ),

  broken(
    "keeps a secret that it has refused",
    [each],
    within((r) => async (secret, room) => {
      const outcome = await r.issueWithin(secret, room);
      if (outcome !== "issued") await r.issue(secret);
      return outcome;
    }),
  ),

  broken(
    "spends the secret before in the place of refusing one",
    [each, all, order, any, secrets, free, race],
    within((r) => {
      return async (secret, room) => {
        if ((await r.issueWithin(secret, room)) !== "issued") {
          await r.revoke(secret.kind, secret.subject);
          await r.issue(secret);
        }
        return "issued";
      };
    }),
  ),

  broken(
    "gives room of its own to whoever has a digest again",
    secrets,
    within((r) => async (secret, room) => {
      await r.consume(secret.kind, secret.digest);
      return r.issueWithin(secret, room);
    }),
  ),

  broken(
    "keeps a refused text under another name",
    secrets,
    changed((secret, room) => [{ ...secret, subject: secret.subject.replaceAll(/[\0\p{Surrogate}]/gu, "") }, room]),
  ),

  broken("counts all that it has ever given out", [free, meanwhile], () => {
    const given: OneTimeSecret[] = [];
    return (r) => ({
      oneTime: {
        issueWithin: async (secret, { ofSubject, inAll }) => {
          const ofKind = given.filter(({ kind }) => kind === secret.kind);
          if (ofSubject > 0 && ofKind.filter(({ subject }) => subject === secret.subject).length >= ofSubject)
            return "subjectFull";
          if (inAll > 0 && ofKind.length >= inAll) return "full";
          await r.oneTime.issue(secret);
          given.push(secret);
          return "issued";
        },
      },
    });
  }),

  broken("counts the room for secrets, then takes it", race, () => {
    const given: OneTimeSecret[] = [];
    return (r) => ({
      oneTime: {
        issueWithin: async (secret, { ofSubject, inAll }) => {
          const good: OneTimeSecret[] = [];
          for (const one of given)
            if (one.kind === secret.kind && (await r.oneTime.read(one.kind, one.digest)) !== null) good.push(one);
          await pause();
          if (ofSubject > 0 && good.filter(({ subject }) => subject === secret.subject).length >= ofSubject)
            return "subjectFull";
          if (inAll > 0 && good.length >= inAll) return "full";
          await r.oneTime.issue(secret);
          given.push(secret);
          return "issued";
        },
      },
    });
  }),
];
