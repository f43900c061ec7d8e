import { allPages } from "@sallyport/storage";
import { forgetDevice, listDevices, registerDevice } from "@sallyport/core";
import { listCommand } from "../list-command.ts";
import type { ServerCommand } from "../server-command.ts";
import { endedSessions } from "../users/user-arguments.ts";
import { timeText } from "./rule-arguments.ts";

interface UserOptions {
  readonly user?: string;
}

/** `device register|forget|list`. */
export function defineDevice(group: ServerCommand): void {
  const ofOne = (verb: string, description: string) =>
    group.command(verb).description(description).argument("<id>", "device id, as the client sends it");
  ofOne("register", "register a device, for databases that admit registered devices only")
    .option("--user <name>", "log-in name of the user (default: all users)")
    .onDatabase((device: string, { user }: UserOptions) => async ({ administration }) => {
      await registerDevice(administration, { device, user });
      console.log(`Registered device "${device}"${user === undefined ? "" : ` of "${user}"`}.`);
    });
  ofOne("forget", "remove a device; where only registered devices are admitted, end its sessions")
    .option("--user <name>", "log-in name of the user (default: the registration for all users)")
    .onDatabase((device: string, { user }: UserOptions) => async ({ administration }) => {
      const ended = await forgetDevice(administration, { device, user });
      console.log(`Removed device "${device}"${user === undefined ? "" : ` of "${user}"`}.${endedSessions(ended)}`);
    });
  group.addCommand(
    listCommand({
      plural: "devices",
      read: ({ administration }) =>
        allPages(
          (page) => listDevices(administration, page),
          ({ id }) => id,
        ),
      json: ({ deviceId, userName, userId, registered, firstSeen, lastSeen, says }) => {
        return { deviceId, user: userName || null, objectId: userId, registered, firstSeen, lastSeen, says };
      },
      columns: {
        DEVICE: ({ deviceId }) => deviceId,
        USER: ({ userName, userId }) => userName || (userId ?? "all"),
        REGISTERED: ({ registered }) => (registered ? "yes" : "no"),
        "LAST SEEN": ({ lastSeen }) => timeText(lastSeen),
        SAYS: ({ says }) =>
          Object.entries(says)
            .map(([name, text]) => `${name}: ${text}`)
            .join(", ") || "nothing",
      },
    }),
  );
}
