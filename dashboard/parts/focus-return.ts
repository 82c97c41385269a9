/** Gives the focus back to where it came from when a dialog, a drawer or a question over it is gone. */
import { useEffect } from 'react'

/** Elements that are remembered: more than the dialogs that can be open at once have. */
const MOST = 50

export function useFocusReturn(): void {
  useEffect(() => {
    let trail: readonly HTMLElement[] = []
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement) trail = [...trail.filter((one) => one !== target), target].slice(-MOST)
    }
    // Dialogs are drawn only while they are open, so the component library does not see them close.
    const observer = new MutationObserver((changes) => {
      if (document.activeElement !== null && document.activeElement !== document.body) return
      if (changes.some(({ removedNodes }) => [...removedNodes].some(hasDialog)))
        trail.findLast((one) => one.isConnected && one.getClientRects().length > 0)?.focus()
    })
    document.addEventListener('focusin', remember)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', remember)
      observer.disconnect()
    }
  }, [])
}

const DIALOG = '[role=dialog]'

const hasDialog = (node: Node): boolean =>
  node instanceof HTMLElement && (node.matches(DIALOG) || node.querySelector(DIALOG) !== null)
