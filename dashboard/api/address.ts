/** Where the server is: the page tells where the dashboard is, and the server is one step up, also behind a proxy's path. */
const SERVER = new URL('..', document.baseURI)

/** Of a path such as `Patient?name=x` or `/Patient`, or of an absolute address of this server. */
export function addressOf(path: string): URL {
  const isAbsolute = /^https?:\/\//.test(path)
  if (!isAbsolute) return new URL(path.replace(/^\/+/, ''), SERVER)
  // Links in answers name the server as it knows itself; what leads there from here is their path.
  const { pathname, search } = new URL(path)
  const below = pathname.startsWith(SERVER.pathname) ? pathname.slice(SERVER.pathname.length) : pathname.slice(1)
  return new URL(below + search, SERVER)
}
