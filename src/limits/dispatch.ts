/** The protocol knows five hints; a server may have a few of its own. */
export const DRY_RUN_ANNOTATIONS_MAX_COUNT = 16;
/** A title, at most. */
export const DRY_RUN_ANNOTATION_MAX_CHARS = 128;
