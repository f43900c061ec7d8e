import { IconBan, IconDevices, IconKey, IconPlugConnected, IconUser, IconUsersGroup } from "@tabler/icons-react";
import { useTexts } from "../language/language.tsx";

/** The pages of the administration, in the order of the side bar. */
export function useAdministrationPages() {
  const texts = useTexts();
  return [
    { to: "/users", name: texts.users.title, help: texts.users.help, Icon: IconUser },
    { to: "/groups", name: texts.groups.title, help: texts.groups.help, Icon: IconUsersGroup },
    { to: "/sessions", name: texts.sessions.title, help: texts.sessions.help, Icon: IconPlugConnected },
    { to: "/app-keys", name: texts.appKeys.title, help: texts.appKeys.help, Icon: IconKey },
    { to: "/devices", name: texts.devices.title, help: texts.devices.help, Icon: IconDevices },
    { to: "/bans", name: texts.bans.title, help: texts.bans.help, Icon: IconBan },
  ] as const;
}
