/** The base URL of the server: one level above the dashboard's page, also behind a proxy that adds a path. */
const SERVER = new URL('..', document.baseURI)

/** The same as a text for clients, without a slash at its end. */
export const baseUrl = SERVER.href.replace(/\/$/, '')

/**
 * The URL of a path such as `Patient?name=x` or `/Patient`, or of an absolute address of this server. It is always one of
 * this server, whatever the text is: the token goes along with each request.
 */
export function addressOf(path: string): URL {
  const text = path.replace(/^\/+/, '')
  const relative = URL.canParse(text, SERVER) ? new URL(text, SERVER) : SERVER
  if (isHere(relative) && !/^\w+:/.test(path)) return relative
  // Links in responses begin with the address by which the server knows itself; from here only their path is valid.
  const { pathname, search } = relative
  const below = pathname.startsWith(SERVER.pathname) ? pathname.slice(SERVER.pathname.length) : pathname.slice(1)
  return new URL(`./${below}${search}`, SERVER)
}

const isHere = ({ origin, pathname }: URL): boolean => origin === SERVER.origin && pathname.startsWith(SERVER.pathname)

/**
 * Whether an address leads to another server than this one, read as a browser does: `//other`, `\\other`.
 * @param known the address by which this server knows itself, which links in its responses begin with
 */
export function isElsewhere(path: string, known: string | undefined): boolean {
  const origins = [SERVER.href, known].flatMap((address) =>
    URL.canParse(address ?? '') ? new URL(address ?? '').origin : [],
  )
  return !URL.canParse(path, SERVER) || !origins.includes(new URL(path, SERVER).origin)
}
