import { allPages } from "@sallyport/storage";
import { addBan, listBans, removeBan } from "@sallyport/core";
import { listCommand } from "../list-command.ts";
import { CommandError } from "../command-error.ts";
import type { ServerCommand, Work } from "../server-command.ts";
import { instantIn, type RehearsalOptions, reportEnded, timeText, withRehearsal } from "./rule-arguments.ts";

/** `ban add|remove|list`. */
export function defineBan(group: ServerCommand): void {
  withRehearsal(
    withTarget(
      group
        .command("add")
        .description("ban a user, a device, a user on a device, or an address, and end their sessions"),
    )
      .option("--from <time>", "beginning, such as 2030-01-31T08:00Z (default: now)")
      .option("--until <time>", "end (default: none)"),
  ).onDatabase(add);
  withTarget(group.command("remove").description("remove a ban; takes effect with the next log-in")).onDatabase(remove);
  group.addCommand(
    listCommand({
      plural: "bans",
      read: ({ administration }) =>
        allPages(
          (page) => listBans(administration, page),
          ({ id }) => id,
        ),
      json: ({ userName, userId, deviceId, address, state, from, until, reason }) => {
        return { user: userName || null, objectId: userId, deviceId, address, state, from, until, reason };
      },
      columns: {
        USER: ({ userName, userId }) => userName || (userId ?? "all"),
        DEVICE: ({ deviceId }) => deviceId ?? "all",
        ADDRESS: ({ address }) => address ?? "all",
        STATE: ({ state }) => ({ planned: "planned", inForce: "in force", over: "over" })[state],
        FROM: ({ from }) => timeText(from),
        UNTIL: ({ until }) => timeText(until),
        REASON: ({ reason }) => reason || "none",
      },
    }),
  );
}

interface TargetOptions {
  readonly user?: string;
  readonly device?: string;
  readonly address?: string;
}

interface AddOptions extends TargetOptions, RehearsalOptions {
  readonly from?: string;
  readonly until?: string;
}

function withTarget(command: ServerCommand): ServerCommand {
  return command
    .option("--user <name>", "log-in name of the user")
    .option("--device <id>", "device id, as the client sends it; with --user, only this user on the device")
    .option("--address <address>", "IPv4 address, or IPv6 address for its /64");
}

function add(options: AddOptions): Work {
  const target = targetIn(options);
  const [from, until] = [instantIn(options.from, "--from"), instantIn(options.until, "--until")];
  const { reason = "", dryRun: rehearse = false } = options;
  return async ({ administration }) => {
    const ended = await addBan(administration, { ...options, reason, from, until, rehearse });
    reportEnded(`Banned ${target}.`, ended, options);
  };
}

function remove(options: TargetOptions): Work {
  const target = targetIn(options);
  return async ({ administration }) => {
    await removeBan(administration, options);
    console.log(`Removed the ban of ${target}.`);
  };
}

function targetIn({ user, device, address }: TargetOptions): string {
  const named = [user === undefined ? [] : `user "${user}"`, device === undefined ? [] : `device "${device}"`].flat();
  if ((named.length === 0) === (address === undefined))
    throw new CommandError("Pass --user, --device or both, or --address.");
  if (address !== undefined) return `address ${address}`;
  return named.join(" on ");
}
