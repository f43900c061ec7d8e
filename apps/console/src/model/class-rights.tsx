import { Group, Text } from "@mantine/core";
import { useGroupNames } from "../accounts/group-picker.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { TextLink } from "../shell/links.tsx";
import { permissionsText } from "./attribute-text.ts";
import { allUsers, type Definition } from "./model-edits.ts";

interface ClassRightsProps {
  readonly className: string;
  readonly rights: Definition["rights"];
}

/** Which groups have rights on a class, with a link to where they are given. A class without any looks complete, but only administrators see it. */
export function ClassRights({ className, rights }: ClassRightsProps) {
  const texts = useTexts();
  const ids = rights.map(({ group }) => group);
  const names = useGroupNames(ids.filter((id) => id !== allUsers));
  const nameOf = (id: string) => (id === allUsers ? texts.rights.everyone : (names.get(id) ?? id));
  const granted = rights.map(({ group, permissions }) => `${nameOf(group)} (${permissionsText(permissions, texts)})`);
  return (
    <Group gap="xs">
      <Text size="sm">
        {granted.length === 0 ? texts.rights.onlyAdministrators : texts.rights.given(visibleText(granted.join(", ")))}
      </Text>
      <TextLink to="/model/rights" search={{ find: className } as never}>
        {granted.length === 0 ? texts.rights.give : texts.rights.change}
      </TextLink>
    </Group>
  );
}
