import { ScrollArea, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import {
  IconArmchair,
  IconBan,
  IconDevices,
  IconGauge,
  IconGavel,
  IconHome,
  IconIdBadge2,
  IconKey,
  IconPlugConnected,
  IconRecycle,
  IconSchema,
  IconSearch,
  IconShieldLock,
  IconTable,
  IconTool,
  IconUser,
  IconUserShare,
  IconUsersGroup,
} from "@tabler/icons-react";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ownFirst, useClasses, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { SideLink } from "./links.tsx";

/** From this number of classes on, they can be searched. */
const searchedFrom = 8;

/** Pixels of some 14 classes. More of them scroll, so that the administration is not far below. */
const classListHeight = 560;

/**
 * The pages of the administration that the person may see, in the order of the side bar. The model is for those who change
 * it: others read it by their rights on classes.
 */
export function useAdministrationPages() {
  const texts = useTexts();
  const { mayChange, mayView } = usePerson();
  const pages = [
    { to: "/model", name: texts.model.page, help: texts.model.help, Icon: IconSchema },
    { to: "/users", name: texts.users.title, help: texts.users.help, Icon: IconUser },
    { to: "/custom-users", name: texts.customUsers.title, help: texts.customUsers.help, Icon: IconUserShare },
    { to: "/second-factors", name: texts.factors.title, help: texts.factors.help, Icon: IconShieldLock },
    { to: "/groups", name: texts.groups.title, help: texts.groups.help, Icon: IconUsersGroup },
    { to: "/sessions", name: texts.sessions.title, help: texts.sessions.help, Icon: IconPlugConnected },
    { to: "/apps", name: texts.apps.title, help: texts.apps.help, Icon: IconArmchair },
    { to: "/app-keys", name: texts.appKeys.title, help: texts.appKeys.help, Icon: IconKey },
    { to: "/devices", name: texts.devices.title, help: texts.devices.help, Icon: IconDevices },
    { to: "/bans", name: texts.bans.title, help: texts.bans.help, Icon: IconBan },
    { to: "/app-rules", name: texts.appRules.title, help: texts.appRules.help, Icon: IconGavel },
    { to: "/providers", name: texts.providers.title, help: texts.providers.help, Icon: IconIdBadge2 },
    { to: "/limits", name: texts.limits.title, help: texts.limits.help, Icon: IconGauge },
    { to: "/maintenance", name: texts.maintenance.title, help: texts.maintenance.help, Icon: IconTool },
  ] as const;
  return mayChange ? pages : mayView ? pages.filter(({ to }) => to !== "/model") : [];
}

/** Links to all pages and classes. */
export function SideBar() {
  const texts = useTexts();
  const pages = useAdministrationPages();
  const bar = useRef<HTMLDivElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { data } = useClasses();
  useEffect(() => {
    // Newer browsers return a promise, which is no end of an effect.
    void bar.current?.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [path, data]);
  return (
    <Stack gap="lg" ref={bar}>
      <div>
        <SideLink
          to="/"
          label={texts.home.title}
          leftSection={<IconHome size={17} />}
          activeOptions={{ exact: true }}
          activeProps={{ active: true }}
        />
        <SideLink
          to="/recycle-bin"
          label={texts.recycleBin.title}
          leftSection={<IconRecycle size={17} />}
          activeProps={{ active: true }}
        />
      </div>
      <ClassLinks />
      {pages.length > 0 && (
        <section>
          <SideTitle>{texts.shell.administration}</SideTitle>
          {pages.map(({ to, name, Icon }) => (
            <SideLink key={to} to={to} label={name} leftSection={<Icon size={17} />} activeProps={{ active: true }} />
          ))}
        </section>
      )}
    </Stack>
  );
}

function SideTitle({ children }: { readonly children: string }) {
  return (
    <Text size="xs" fw={600} c="dimmed" tt="uppercase" px="sm" pb={4} component="h2">
      {children}
    </Text>
  );
}

function ClassLinks() {
  const texts = useTexts();
  const [sought, setSought] = useState("");
  const { data, isPending } = useClasses();
  const names = ownFirst(data ?? []).map(({ name }) => name);
  const shown = names.filter((name) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  return (
    <section>
      <SideTitle>{texts.shell.classes}</SideTitle>
      {names.length >= searchedFrom && (
        <TextInput
          size="xs"
          px="sm"
          pb={6}
          leftSection={<IconSearch size={14} />}
          placeholder={texts.shell.findClass}
          aria-label={texts.shell.findClass}
          value={sought}
          onChange={({ currentTarget }) => setSought(currentTarget.value)}
        />
      )}
      {isPending && <Skeleton height={28} mx="sm" />}
      <ScrollArea.Autosize mah={classListHeight}>
        {shown.map((name) => (
          <SideLink
            key={name}
            to="/classes/$className"
            params={{ className: name }}
            label={name}
            leftSection={<IconTable size={17} />}
            activeProps={{ active: true }}
          />
        ))}
      </ScrollArea.Autosize>
      {!isPending && shown.length === 0 && (
        <Text size="sm" c="dimmed" px="sm">
          {names.length === 0 ? texts.shell.noClasses : texts.shell.paletteEmpty}
        </Text>
      )}
    </section>
  );
}
