import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, Stack, Switch } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconColumns3 } from "@tabler/icons-react";
import { useTexts } from "../../language/language.tsx";
import type { ColumnChoice } from "./column-choice.ts";
import type { ValueColumn } from "../columns.ts";
import classes from "../class-page.module.css";

interface ColumnPanelProps {
  readonly columns: readonly ValueColumn[];
  readonly choice: ColumnChoice;
  choose(changed: Partial<ColumnChoice>): void;
  onReset(): void;
}

/** Chooses the columns and their order, by key as by pointer. */
export function ColumnPanel({ columns, choice, choose, onReset }: ColumnPanelProps) {
  const texts = useTexts();
  const { names } = choice;
  const hidden = columns.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  const move = (index: number, step: number) => {
    const name = names[index] as string;
    choose({ names: names.toSpliced(index, 1).toSpliced(index + step, 0, name) });
  };
  return (
    <Popover position="bottom-end" width={300} withArrow trapFocus>
      <Popover.Target>
        <Button data-compact variant="default" leftSection={<IconColumns3 size={16} />}>
          {texts.objects.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.objects.columns}>
        <Stack gap="xs">
          <ScrollArea.Autosize mah={360} type="auto" viewportProps={{ tabIndex: 0 }}>
            {names.map((name, index) => (
              <Group key={name} gap={2} wrap="nowrap" className={classes["column"] ?? ""}>
                <Checkbox
                  size="sm"
                  flex={1}
                  label={texts.objects.meta(name) ?? name}
                  checked
                  disabled={names.length === 1}
                  onChange={() => choose({ names: names.filter((each) => each !== name) })}
                />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={index === 0}
                  aria-label={texts.objects.moveUp(name)}
                  onClick={() => move(index, -1)}
                >
                  <IconChevronUp size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={index === names.length - 1}
                  aria-label={texts.objects.moveDown(name)}
                  onClick={() => move(index, 1)}
                >
                  <IconChevronDown size={16} />
                </ActionIcon>
              </Group>
            ))}
            {hidden.map((name) => (
              <Group key={name} className={classes["column"] ?? ""}>
                <Checkbox
                  size="sm"
                  label={texts.objects.meta(name) ?? name}
                  checked={false}
                  onChange={() => choose({ names: [...names, name] })}
                />
              </Group>
            ))}
          </ScrollArea.Autosize>
          <Switch
            label={texts.objects.counts}
            checked={choice.isCounted}
            onChange={({ currentTarget }) => choose({ isCounted: currentTarget.checked })}
          />
          <Button variant="subtle" size="xs" onClick={onReset}>
            {texts.objects.resetColumns}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
