import { Select } from "@mantine/core";
import type { Rights } from "../connection/connection.ts";
import { useTexts } from "../language/language.tsx";

/** Stands for the rights of users who are no administrators. */
const none = "none";
const choices = [none, "all", "view", "audit"] as const;

interface RightsSelectProps {
  readonly value: Rights;
  readonly isDisabled?: boolean;
  onChange(rights: Rights): void;
}

/** Chooses whether a user is an administrator, and with which rights. */
export function RightsSelect({ value, isDisabled = false, onChange }: RightsSelectProps) {
  const texts = useTexts();
  const chosen = value ?? none;
  return (
    <Select
      label={texts.administratorRights.title}
      description={texts.administratorRights.help[chosen]}
      data={choices.map((choice) => ({ value: choice, label: texts.administratorRights.names[choice] }))}
      allowDeselect={false}
      disabled={isDisabled}
      value={chosen}
      onChange={(choice) => {
        const rights = choices.find((each) => each === choice);
        if (rights !== undefined) onChange(rights === none ? null : rights);
      }}
    />
  );
}
