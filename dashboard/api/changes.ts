/** Changes made in this window: each successful request is reported to the offers to undo older changes. */

/** Receives the path of the changed resource: `Appointment/1`, `accounts/nora/login`. */
type Listener = (path: string) => void

const listeners = new Set<Listener>()

export function onChange(listener: Listener): void {
  listeners.add(listener)
}

/** @param path of the request; an operation changes the resource that it is called on */
export function heardChange(path: string): void {
  const [changed = ''] = path.replace(/^\//, '').split(/[?#]|\/\$/)
  for (const listener of listeners) listener(changed)
}

/** @param thing the path of a resource, or of all that begins with it: `accounts/nora` */
export const isChangeOf = (changed: string, thing: string): boolean =>
  changed === thing || changed.startsWith(`${thing}/`)
