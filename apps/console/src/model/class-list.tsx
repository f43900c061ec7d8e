import { Button, FileButton, Group, Menu, Paper, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import type { ModelStructure } from "@sallyport/client";
import { IconChevronDown, IconDownload, IconSearch, IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTexts } from "../language/language.tsx";
import { showFailure, showSuccess } from "../notices/notices.tsx";
import { TextLink } from "../shell/links.tsx";
import { linkText } from "./attribute-text.ts";
import { ClassBadges } from "./class-badges.tsx";
import { type ClassState, classStates, differencesOf } from "./model-edits.ts";
import { useModelEditing } from "./model-editing.ts";
import { editsTo, modelFile, type ModelFileGroups, ModelFileError, parseModelFile } from "./model-file.ts";
import { NewClass } from "./new-class.tsx";
import classes from "./model.module.css";

/** All classes, and the model as a file. */
export function ClassList() {
  const texts = useTexts();
  const { structure, states } = useModelEditing();
  const [sought, setSought] = useState("");
  const text = sought.trim().toLowerCase();
  const shown = [...states.values()].filter(({ name }) => name.toLowerCase().includes(text));
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2">
            {texts.model.page}
          </Title>
          <Text c="dimmed" size="sm" maw={560}>
            {texts.model.help}
          </Text>
        </div>
        <Group>
          <ModelFileMenu />
          <NewClass />
        </Group>
      </Group>
      <Paper withBorder className={classes["surface"] ?? ""}>
        <TextInput
          m="sm"
          maw={420}
          leftSection={<IconSearch size={16} />}
          placeholder={texts.shell.findClass}
          aria-label={texts.shell.findClass}
          value={sought}
          onChange={({ currentTarget }) => setSought(currentTarget.value)}
        />
        {shown.length === 0 ? (
          <Text p="xl" ta="center" c="dimmed">
            {texts.lists.nothingFound}
          </Text>
        ) : (
          <Table.ScrollContainer minWidth={720} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label={texts.model.classes}>
              <Table.Thead>
                <Table.Tr>
                  {[
                    texts.classes.one,
                    texts.model.base,
                    texts.model.attributes,
                    texts.model.links,
                    texts.model.indexes,
                  ].map((title) => (
                    <Table.Th key={title}>{title}</Table.Th>
                  ))}
                  <Table.Td />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {shown.map((state) => (
                  <ClassRow key={state.name} state={state} structure={structure} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Paper>
    </Stack>
  );
}

interface ClassRowProps {
  readonly state: ClassState;
  readonly structure: ModelStructure;
}

function ClassRow({ state, structure }: ClassRowProps) {
  const texts = useTexts();
  const { name, stored, edited } = state;
  const definition = edited ?? stored;
  const links = definition?.attributes.filter(({ target }) => target !== undefined) ?? [];
  return (
    <Table.Tr data-changed={differencesOf(state).length > 0} className={classes["row"] ?? ""}>
      <Table.Td>
        <Group gap="xs">
          <TextLink to="/model/classes/$className" params={{ className: name }}>
            {name}
          </TextLink>
          <ClassBadges state={state} />
        </Group>
      </Table.Td>
      <Table.Td>{definition?.base}</Table.Td>
      <Table.Td>{definition?.attributes.length}</Table.Td>
      <Table.Td>
        {links.map((link) => (
          <Text key={link.name} size="sm">
            {linkText(link.name, link.target ?? "")}
          </Text>
        ))}
      </Table.Td>
      <Table.Td>
        <IndexProgress structure={structure} className={name} />
      </Table.Td>
      <Table.Td ta="right">
        {stored !== null && (
          <TextLink to="/classes/$className" params={{ className: name }}>
            {texts.model.objects}
          </TextLink>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function IndexProgress({ structure, className }: { readonly structure: ModelStructure; readonly className: string }) {
  const texts = useTexts();
  const attributes = structure.classes.find(({ name }) => name === className)?.attributes ?? [];
  const indexes = attributes.filter(({ indexed }) => indexed);
  const ready = indexes.filter(({ indexState }) => indexState === "ready").length;
  if (indexes.length === 0) return null;
  return <Text size="sm">{texts.model.indexProgress(ready, indexes.length)}</Text>;
}

/** Downloads the stored classes, and takes those of a file as edits. */
function ModelFileMenu() {
  const texts = useTexts();
  const { structure, states, replace, review } = useModelEditing();
  const resetInput = useRef<() => void>(null);
  const download = (groups: ModelFileGroups) => {
    const url = URL.createObjectURL(new Blob([modelFile(states, groups)], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = "model.json";
    link.click();
    URL.revokeObjectURL(url);
  };
  const load = async (file: File) => {
    try {
      const edits = editsTo(parseModelFile(await file.text()), states);
      if (![...classStates(structure, edits).values()].some((state) => differencesOf(state).length > 0)) {
        showSuccess(texts.model.sameFile);
        return;
      }
      replace(edits);
      review();
    } catch (error) {
      const reason = error instanceof ModelFileError ? new Error(texts.model.wrongFile(error.message)) : error;
      showFailure(texts.model.notLoaded, reason);
    } finally {
      // A browser does not tell when the same file is chosen again.
      resetInput.current?.();
    }
  };
  return (
    <FileButton
      resetRef={resetInput}
      accept="application/json,.json"
      onChange={(file) => file !== null && void load(file)}
    >
      {({ onClick }) => (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" rightSection={<IconChevronDown size={16} />}>
              {texts.model.file}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{texts.model.download}</Menu.Label>
            <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => download("all")}>
              {texts.model.downloadAll}
            </Menu.Item>
            <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => download("none")}>
              {texts.model.downloadNew}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<IconUpload size={16} />} onClick={onClick}>
              {texts.model.upload}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </FileButton>
  );
}
