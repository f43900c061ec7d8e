/** Browsers limit the height of an element, some near 17,000,000 px. */
export const maxHeight = 10_000_000;

export interface Extent {
  /** Height of all rows, in px. */
  readonly content: number;
  /** Height of the part that shows, in px. */
  readonly viewport: number;
}

/** Height of the element that scrolls in place of the rows. */
export const containerHeight = ({ content }: Extent): number => Math.min(content, maxHeight);

/** Place in the rows at a position of the scroll bar. Both ends map to each other, and short lists are not mapped. */
export const contentOffset = (scrollTop: number, extent: Extent): number => scrollTop * scaleOf(extent);

/** Position of the scroll bar for a place in the rows. */
export const scrollOffset = (offset: number, extent: Extent): number => offset / scaleOf(extent);

function scaleOf(extent: Extent): number {
  if (extent.content <= maxHeight) return 1;
  return (extent.content - extent.viewport) / (containerHeight(extent) - extent.viewport);
}
