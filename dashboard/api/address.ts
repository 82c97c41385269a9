/** The base URL of the server: one level above the dashboard's page, also behind a proxy that adds a path. */
const SERVER = new URL('..', document.baseURI)

/** The URL of a path such as `Patient?name=x` or `/Patient`, or of an absolute address of this server. */
export function addressOf(path: string): URL {
  const isAbsolute = /^https?:\/\//.test(path)
  if (!isAbsolute) return new URL(path.replace(/^\/+/, ''), SERVER)
  // Links in responses begin with the address by which the server knows itself; from here only their path is valid.
  const { pathname, search } = new URL(path)
  const below = pathname.startsWith(SERVER.pathname) ? pathname.slice(SERVER.pathname.length) : pathname.slice(1)
  return new URL(below + search, SERVER)
}

/**
 * Whether an absolute address leads to another server than this one.
 * @param known the address by which this server knows itself, which links in its responses begin with
 */
export function isElsewhere(path: string, known: string | undefined): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return false
  const origins = [SERVER.href, known].flatMap((address) =>
    URL.canParse(address ?? '') ? new URL(address ?? '').origin : [],
  )
  return !URL.canParse(path) || !origins.includes(new URL(path).origin)
}
