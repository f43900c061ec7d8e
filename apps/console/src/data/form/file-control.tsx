import { Button, FileButton, Group, Progress } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import { linkFile, upload } from "@sallyport/client/files";
import { IconDownload, IconEye, IconUpload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useConnection } from "../../connection/connection-context.tsx";
import { useTexts } from "../../language/language.tsx";
import { visibleText } from "../../language/visible-text.ts";
import { Dialog } from "../../page-parts/dialog.tsx";
import { showFailure } from "../../notices/notices.tsx";
import { FilePreview } from "./file-preview.tsx";
import type { ControlProps } from "./value-controls.tsx";

/** Seconds until the link of a download expires. */
const linkLifetime = 60;

interface FileControlProps extends Pick<ControlProps, "label" | "edit"> {
  /** Absent: the file can be read only. */
  readonly onEdit?: ControlProps["onEdit"];
  readonly disabled?: boolean;
  /** Name of the stored file. */
  readonly name: string | undefined;
}

/** A file: its preview, its download, and an upload in its place. The object keeps the former file until the form is saved. */
export function FileControl({ label, edit, onEdit, disabled = false, name }: FileControlProps) {
  const texts = useTexts();
  const connection = useConnection();
  const [uploaded, setUploaded] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const isNarrow = useMediaQuery("(max-width: 30em)");
  const [share, setShare] = useState(0);
  const [isPreviewed, preview] = useDisclosure(false);
  const abortion = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    abortion.current = controller;
    return () => controller.abort();
  }, []);
  const id = typeof edit.value === "string" ? edit.value : null;
  const sending = useMutation({
    mutationFn: (file: File) =>
      connection.work((client) =>
        upload(client, file, {
          signal: abortion.current.signal,
          onProgress: ({ acknowledged, total }) => setShare(acknowledged / (total ?? acknowledged)),
        }),
      ),
    onSuccess: (stored) => {
      setUploaded({ id: stored["~ObjectID"], name: stored.Name });
      onEdit?.({ value: stored["~ObjectID"] });
    },
    onError: (error) => showFailure(texts.objects.uploadFailed, error),
  });
  const getting = useMutation({
    mutationFn: async (fileId: string) => {
      const { url } = await connection.work((client) => linkFile(client, fileId, { expiresIn: linkLifetime }));
      // The server sends files as attachments, so the page stays.
      location.assign(url);
    },
    onError: (error) => showFailure(texts.objects.downloadFailed, error),
  });
  const shown = uploaded?.id === id ? uploaded?.name : name;
  return (
    <Group gap="xs">
      {id !== null && (
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          loading={getting.isPending}
          onClick={() => getting.mutate(id)}
        >
          {texts.objects.download(visibleText(shown ?? id))}
        </Button>
      )}
      {id !== null && (
        <Button
          variant="default"
          leftSection={<IconEye size={16} />}
          aria-label={texts.objects.preview(visibleText(shown ?? id))}
          onClick={preview.open}
        >
          {texts.objects.previewShort}
        </Button>
      )}
      {onEdit !== undefined && (
        <FileButton disabled={disabled} onChange={(file) => file !== null && sending.mutate(file)}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={16} />}
              loading={sending.isPending}
              disabled={disabled}
              aria-label={texts.objects.upload(label)}
            >
              {texts.objects.uploadShort}
            </Button>
          )}
        </FileButton>
      )}
      {sending.isPending && <Progress w="100%" value={share * 100} aria-label={texts.objects.upload(label)} />}
      <Dialog
        size="xl"
        fullScreen={isNarrow}
        title={visibleText(shown ?? id ?? "")}
        isOpen={isPreviewed && id !== null}
        onClose={preview.close}
      >
        {id !== null && <FilePreview id={id} />}
      </Dialog>
    </Group>
  );
}
