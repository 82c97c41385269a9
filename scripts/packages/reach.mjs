/** The packages of package-lock.json that others bring, found as Node finds them. Runs on any Node from 18 on. */

const MODULES = 'node_modules/'

/** Where the package at a place finds a dependency: in its own folder, or in that of one of those above it. */
export function placeOf(lock, from, dependency) {
  const place = `${from === '' ? '' : `${from}/`}${MODULES}${dependency}`
  if (lock.packages[place] !== undefined) return place
  if (from === '') return undefined
  return placeOf(lock, from.slice(0, Math.max(0, from.lastIndexOf(MODULES) - 1)), dependency)
}

/** The places of the named dependencies of the project at `from`, and of all that these bring. */
export function reachedFrom(lock, from, names) {
  const reached = new Set()
  const open = names.map((name) => placeOf(lock, from, name))
  while (open.length > 0) {
    const place = open.pop()
    if (place === undefined || reached.has(place)) continue
    reached.add(place)
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[place]
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies }
    open.push(...Object.keys(needed).map((name) => placeOf(lock, place, name)))
  }
  return reached
}

/** The folders of the project, '', and of its workspaces. */
export const projectsOf = (lock) => Object.keys(lock.packages).filter((place) => !place.includes(MODULES))

const dependenciesReached = (lock, project) =>
  reachedFrom(lock, project, Object.keys(lock.packages[project]?.dependencies ?? {}))

/** The places that `npm ci --omit=dev` fills for a workspace, and the server does without: links to it are among them. */
export function forWorkspacesOnly(lock) {
  const server = dependenciesReached(lock, '')
  const workspaces = projectsOf(lock).filter((project) => project !== '')
  const links = Object.keys(lock.packages).filter((place) => lock.packages[place].link)
  const reached = workspaces.flatMap((project) => [...dependenciesReached(lock, project)])
  return new Set([...workspaces, ...links, ...reached].filter((place) => !server.has(place)))
}
