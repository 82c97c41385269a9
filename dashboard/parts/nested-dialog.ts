/** Properties of a dialog over another one: Escape closes it alone, where Mantine closes every dialog that is open. */
import type { FocusEvent, KeyboardEvent } from 'react'

export const nestedDialog = (onClose: () => void) => ({
  closeOnEscape: false,
  // The dialogs below leave the key to elements with this attribute.
  onFocusCapture: ({ target }: FocusEvent) => target.setAttribute('data-mantine-stop-propagation', 'true'),
  onKeyDown: (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape') onClose()
  },
})
