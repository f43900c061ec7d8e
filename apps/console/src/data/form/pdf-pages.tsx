import { ActionIcon, Alert, Group, Skeleton, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import type { TextContent } from "pdfjs-dist/types/src/display/api";
import { useEffect, useRef, useState } from "react";
import { useTexts } from "../../language/language.tsx";
import { visibleText } from "../../language/visible-text.ts";
import type { OpenedPdf } from "./pdf-file.ts";
import classes from "./object-form.module.css";

/** Pixels of a page: it fills this width, unless it is much higher than wide. */
const shownSize = { width: 1_600, height: 3_200 };
/** Characters of a page that are read for screen readers. A small file can have millions. */
const maxText = 65_536;

/** The pages of a PDF, one at a time. The library is loaded here, since few files need it. */
export function PdfPages({ bytes }: { readonly bytes: Uint8Array }) {
  const texts = useTexts();
  const [document, setDocument] = useState<PDFDocumentProxy | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [number, setNumber] = useState(1);
  useEffect(() => {
    let isOpen = true;
    let opened: OpenedPdf | undefined;
    const open = async () => {
      const { openPdf } = await import("./pdf-file.ts");
      if (!isOpen) return;
      opened = openPdf(bytes);
      const loaded = await opened.document;
      if (isOpen) setDocument(loaded);
    };
    void open().catch((error: unknown) => {
      const isLocked = error instanceof Error && error.name === "PasswordException";
      if (isOpen) setFailure(isLocked ? texts.objects.previewLocked : texts.objects.previewBroken.pdf);
    });
    return () => {
      isOpen = false;
      opened?.close();
    };
  }, [bytes, texts]);
  if (failure !== null)
    return (
      <Alert color="red" role="alert">
        {failure}
      </Alert>
    );
  if (document === null) return <Skeleton height={320} role="status" aria-label={texts.common.loading} />;
  const count = document.numPages;
  return (
    <Stack gap="xs">
      {count > 1 && (
        <Group justify="center">
          <ActionIcon
            variant="default"
            disabled={number === 1}
            aria-label={texts.common.previous}
            onClick={() => setNumber(number - 1)}
          >
            <IconChevronLeft size={16} />
          </ActionIcon>
          <Text size="sm" role="status">
            {texts.objects.pageOf(number, count)}
          </Text>
          <ActionIcon
            variant="default"
            disabled={number === count}
            aria-label={texts.common.next}
            onClick={() => setNumber(number + 1)}
          >
            <IconChevronRight size={16} />
          </ActionIcon>
        </Group>
      )}
      <PdfPage key={number} document={document} number={number} />
    </Stack>
  );
}

/** The beginning of the text of a page. */
async function textOf(page: PDFPageProxy): Promise<string> {
  const reader: ReadableStreamDefaultReader<TextContent> = page.streamTextContent().getReader();
  let text = "";
  while (text.length < maxText) {
    const { done, value } = await reader.read();
    if (done) return text;
    for (const item of value.items) if ("str" in item) text += `${item.str}${item.hasEOL ? "\n" : ""}`;
  }
  await reader.cancel(new Error("The rest is not shown."));
  return text.slice(0, maxText);
}

interface PdfPageProps {
  readonly document: PDFDocumentProxy;
  readonly number: number;
}

/** A page as a picture, with its text for screen readers. */
function PdfPage({ document, number }: PdfPageProps) {
  const texts = useTexts();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [text, setText] = useState<string | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let isShown = true;
    let stop: (() => void) | undefined;
    const draw = async () => {
      const page = await document.getPage(number);
      if (!isShown || canvas.current === null) return;
      const { width, height } = page.getViewport({ scale: 1 });
      const viewport = page.getViewport({ scale: Math.min(shownSize.width / width, shownSize.height / height) });
      canvas.current.width = Math.ceil(viewport.width);
      canvas.current.height = Math.ceil(viewport.height);
      const task = page.render({ canvas: canvas.current, viewport });
      stop = () => task.cancel();
      await task.promise;
      const read = await textOf(page);
      if (isShown) setText(read);
    };
    void draw().catch(() => {
      if (isShown) setFailed(true);
    });
    return () => {
      isShown = false;
      stop?.();
    };
  }, [document, number]);
  if (hasFailed)
    return (
      <Alert color="red" role="alert">
        {texts.objects.previewBroken.page}
      </Alert>
    );
  return (
    <div aria-busy={text === null}>
      <canvas ref={canvas} className={classes["page"]} aria-hidden />
      <VisuallyHidden>{visibleText(text ?? "")}</VisuallyHidden>
    </div>
  );
}
