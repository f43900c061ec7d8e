import { SegmentedControl, Table, Text } from "@mantine/core";
import { useTexts } from "../../language/language.tsx";
import { visibleText } from "../../language/visible-text.ts";
import classes from "./object-form.module.css";

export interface ValueDifference {
  readonly name: string;
  readonly stored: unknown;
  readonly edited: unknown;
}

interface ValueDiffProps {
  readonly label: string;
  /** Title of the names. Absent: they are those of attributes. */
  readonly nameTitle?: string;
  readonly differences: readonly ValueDifference[];
  readonly storedTitle: string;
  readonly editedTitle: string;
  /** Names of those whose stored value is kept. Without it, there is no choice. */
  readonly kept?: ReadonlySet<string>;
  onKeep?(name: string, isKept: boolean): void;
}

/** Two versions of an object, member by member. */
export function ValueDiff({ label, nameTitle, differences, storedTitle, editedTitle, kept, onKeep }: ValueDiffProps) {
  const texts = useTexts();
  const shown = (value: unknown) => {
    if (value === undefined) return texts.objects.absent;
    return typeof value === "string" && value !== "" ? visibleText(value) : JSON.stringify(value);
  };
  return (
    <Table.ScrollContainer minWidth={420} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{nameTitle ?? texts.filter.attribute}</Table.Th>
            <Table.Th>{storedTitle}</Table.Th>
            <Table.Th>{editedTitle}</Table.Th>
            {kept !== undefined && <Table.Th>{texts.objects.keep}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ name, stored, edited }) => (
            <Table.Tr key={name}>
              <Table.Th>{name}</Table.Th>
              <Table.Td>
                <Text size="sm" lineClamp={4} className={classes["diff"] ?? ""}>
                  {shown(stored)}
                </Text>
              </Table.Td>
              <Table.Td>
                <Text size="sm" lineClamp={4} className={classes["diff"] ?? ""}>
                  {shown(edited)}
                </Text>
              </Table.Td>
              {kept !== undefined && (
                <Table.Td>
                  <SegmentedControl
                    size="xs"
                    aria-label={texts.objects.keepOf(name)}
                    value={kept.has(name) ? "theirs" : "mine"}
                    onChange={(choice) => onKeep?.(name, choice === "theirs")}
                    data={[
                      { value: "theirs", label: storedTitle },
                      { value: "mine", label: editedTitle },
                    ]}
                  />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
