import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { IconLogout, IconSearch, IconTable } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useClasses } from "../classes/use-classes.ts";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { useAdministrationPages } from "./administration-pages.ts";

const mostResults = 12;

/** Pages, classes and actions by their names, on Ctrl+K. */
export function CommandPalette() {
  const texts = useTexts();
  const connection = useConnection();
  const navigate = useNavigate();
  const { isAdministrator } = usePerson();
  const pages = useAdministrationPages();
  const { data: classes = [] } = useClasses();
  const actions: SpotlightActionData[] = [
    ...(isAdministrator ? pages : []).map(({ to, name, help, Icon }) => ({
      id: to,
      label: name,
      description: help,
      leftSection: <Icon size={18} />,
      onClick: () => void navigate({ to }),
    })),
    ...classes.map(({ name }) => ({
      id: `class ${name}`,
      label: name,
      description: texts.classes.one,
      leftSection: <IconTable size={18} />,
      onClick: () => void navigate({ to: "/classes/$className", params: { className: name } }),
    })),
    {
      id: "log-out",
      label: texts.shell.logOut,
      leftSection: <IconLogout size={18} />,
      onClick: () => void connection.logOut(),
    },
  ];
  return (
    <Spotlight
      actions={actions}
      limit={mostResults}
      shortcut={["mod + K"]}
      nothingFound={texts.shell.paletteEmpty}
      lockScroll={false}
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: texts.shell.palette,
        "aria-label": texts.shell.palette,
      }}
    />
  );
}
