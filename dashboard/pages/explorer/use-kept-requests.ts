/** The lists of requests in the storage of this browser: those of a user, and those that are saved for the clinic. */
import { useState } from 'react'
import { useMaybeClinic, useUser } from '../../parts/clinic-context.tsx'
import { isKept, type KeptRequest, withSaved, withSent } from './kept-requests.ts'

function readList(key: string): readonly KeptRequest[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(list) ? list.filter(isKept) : []
  } catch {
    return []
  }
}

function writeList(key: string, list: readonly KeptRequest[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(list))
  } catch {
    // The browser keeps nothing, or has no room for more: the console works without.
  }
}

/** A list of this browser, which other windows may change meanwhile. */
function useList(key: string) {
  const [shown, setShown] = useState(() => ({ key, list: readList(key) }))
  const list = shown.key === key ? shown.list : readList(key)
  const change = (next: (list: readonly KeptRequest[]) => readonly KeptRequest[]): void => {
    const changed = next(readList(key))
    writeList(key, changed)
    setShown({ key, list: changed })
  }
  return { list, change }
}

export function useKeptRequests() {
  const clinic = useMaybeClinic()?.id ?? ''
  const { username } = useUser()
  const sent = useList(`explorer-sent:${clinic}:${username}`)
  const saved = useList(`explorer-saved:${clinic}`)
  return {
    sent: sent.list,
    saved: saved.list,
    noteSent: (request: KeptRequest) => sent.change((list) => withSent(list, request)),
    save: (request: KeptRequest) => saved.change((list) => withSaved(list, request)),
    remove: (name: string | undefined) => saved.change((list) => list.filter((one) => one.name !== name)),
    clear: () => sent.change(() => []),
  }
}
