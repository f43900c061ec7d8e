import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconDeviceDesktop, IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";
import { languageNames, useLanguage } from "../language/language.tsx";

export function LanguageMenu() {
  const { language, texts, choose } = useLanguage();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={texts.shell.language}>
          <IconLanguage size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {languageNames.map((each) => (
          <Menu.Item
            key={each.language}
            lang={each.language}
            onClick={() => choose(each.language)}
            rightSection={each.language === language ? <IconCheck size={14} /> : null}
          >
            {each.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function SchemeMenu() {
  const { texts } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const schemes = [
    { scheme: "light", name: texts.shell.light, Icon: IconSun },
    { scheme: "dark", name: texts.shell.dark, Icon: IconMoon },
    { scheme: "auto", name: texts.shell.system, Icon: IconDeviceDesktop },
  ] as const;
  const { Icon: Current } = schemes.find(({ scheme }) => scheme === colorScheme) ?? schemes[2];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={texts.shell.theme}>
          <Current size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ scheme, name, Icon }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} />}
            onClick={() => setColorScheme(scheme)}
            rightSection={scheme === colorScheme ? <IconCheck size={14} /> : null}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
