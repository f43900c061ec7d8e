import { Avatar, Burger, Button, Drawer, Kbd, Menu, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useDocumentTitle } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { IconLogout, IconSearch, IconUser } from "@tabler/icons-react";
import { Outlet, useMatches, useRouterState } from "@tanstack/react-router";
import { type CSSProperties, useEffect } from "react";
import { mayShow, usePageConfig, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { DatabaseMark, databaseColor } from "./database-mark.tsx";
import { useLogOut } from "./log-out.tsx";
import { ForAdministrators } from "./not-found.tsx";
import { LanguageMenu, SchemeMenu } from "./preferences.tsx";
import { ServerState } from "./server-state.tsx";
import classes from "./shell.module.css";
import { SideBar } from "./side-bar.tsx";

const contentId = "content";

/** Header, side bar and the page. */
export function Shell() {
  const texts = useTexts();
  const { label, alias, color } = usePageConfig();
  const [isMenuOpen, menu] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { close } = menu;
  useEffect(close, [path, close]);
  const { logOut, question } = useLogOut();
  const person = usePerson();
  const isAllowed = useMatches({ select: (matches) => mayShow(matches, person) });
  const name = label ?? alias;
  useDocumentTitle(name === "" ? texts.app.name : `${name} · ${texts.app.name}`);
  return (
    <div className={classes["shell"]} style={{ "--database-color": databaseColor(color) } as CSSProperties}>
      {/* Not a link: its address would be a page of the router. */}
      <UnstyledButton className={classes["skip"]} onClick={() => document.getElementById(contentId)?.focus()}>
        {texts.shell.skip}
      </UnstyledButton>
      <header className={classes["header"]}>
        <Burger
          className={classes["burger"]}
          size="sm"
          opened={isMenuOpen}
          onClick={menu.toggle}
          aria-label={texts.shell.openMenu}
        />
        <DatabaseMark />
        <Button
          className={classes["search"]}
          data-compact
          variant="default"
          justify="flex-start"
          leftSection={<IconSearch size={16} />}
          rightSection={<Kbd size="xs">Ctrl K</Kbd>}
          onClick={spotlight.open}
        >
          {texts.shell.palette}
        </Button>
        <LanguageMenu />
        <SchemeMenu />
        <AccountMenu onLogOut={logOut} />
      </header>
      <nav className={classes["side"]} aria-label={texts.shell.navigation}>
        <SideBar />
      </nav>
      <Drawer
        opened={isMenuOpen}
        onClose={menu.close}
        position="left"
        size={280}
        title={texts.shell.navigation}
        closeButtonProps={{ "aria-label": texts.common.close }}
      >
        <nav aria-label={texts.shell.navigation}>
          <SideBar />
        </nav>
      </Drawer>
      <main id={contentId} tabIndex={-1} className={classes["content"]}>
        <ServerState />
        {isAllowed ? <Outlet /> : <ForAdministrators />}
      </main>
      <CommandPalette onLogOut={logOut} />
      {question}
    </div>
  );
}

function AccountMenu({ onLogOut }: { onLogOut(): void }) {
  const texts = useTexts();
  const { user, rights } = usePerson();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton aria-label={texts.shell.account}>
          <Avatar radius="xl" size={34} color="indigo">
            <IconUser size={18} />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate>
            {user}
          </Text>
          <Text size="xs">{rights === null ? texts.logIn.user : texts.administratorRights.names[rights]}</Text>
        </Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={onLogOut}>
          {texts.shell.logOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
