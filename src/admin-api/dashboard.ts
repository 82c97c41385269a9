/** `/dashboard`: the application that the build has made, to be used in a browser; `/` leads browsers to it. */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import { notFound } from '../fhir/outcome.ts'
import { encodingsIn } from '../http/headers.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { BuildFolder } from './dashboard/build-folder.ts'
import { builtPage, failedPage, type Page, waitingPage } from './dashboard/page.ts'

export interface DashboardParts {
  /** The address of this server as the client sees it. */
  readonly baseOf: (koa: KoaContext) => string
  /** In place of the folder of this project: for tests. */
  readonly builds?: BuildFolder | undefined
  /** False: there is no dashboard. */
  readonly isServed: boolean
}

/** Seconds. The names of assets change with their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

export function dashboardRoutes({ baseOf, isServed, builds }: DashboardParts): SideRouter {
  return sideRouter(
    ['dashboard', 'favicon.ico'],
    isServed ? routerOf(builds ?? new BuildFolder(), baseOf) : new Router(),
  )
}

function routerOf(builds: BuildFolder, baseOf: DashboardParts['baseOf']): Router {
  const assets = new Assets(builds)
  const pages = new Pages(builds, baseOf)
  const router = new Router()
  router.get('/favicon.ico', async (koa) => {
    await sendAsset(koa, assets, 'icon.svg')
    koa.set('Cache-Control', 'public, max-age=86400')
  })
  router.get('/dashboard/assets/:name', (koa) => sendAsset(koa, assets, koa.params.name ?? ''))
  router.get('/dashboard', (koa) => pages.send(koa))
  router.get('/dashboard/{*page}', (koa) => pages.send(koa))
  return router
}

/** Redirects a browser that opens the address of the server to the dashboard; a FHIR client does not accept HTML. */
export const leadToDashboard =
  (baseOf: (koa: KoaContext) => string): Middleware =>
  (koa, next) => {
    const isPerson =
      koa.path === '/' &&
      koa.method === 'GET' &&
      koa.search === '' &&
      koa.get('authorization') === '' &&
      koa.get('accept').includes('text/html')
    if (!isPerson) return next()
    koa.set('Vary', 'Accept, Authorization')
    koa.redirect(`${baseOf(koa)}/dashboard`)
    return undefined
  }

async function sendAsset(koa: KoaContext, assets: Assets, name: string): Promise<void> {
  const found = await assets.find(name, koa.get('accept-encoding'))
  if (found === undefined) throw notFound(`The dashboard has no file ${name}`)
  koa.set({ 'Content-Type': found.mediaType, 'Cache-Control': IMMUTABLE, Vary: 'Accept-Encoding' })
  if (found.encoding !== undefined) koa.set('Content-Encoding', found.encoding)
  koa.body = found.body
}

class Pages {
  readonly #builds: BuildFolder
  readonly #baseOf: (koa: KoaContext) => string
  #template: string | undefined

  constructor(builds: BuildFolder, baseOf: (koa: KoaContext) => string) {
    this.#builds = builds
    this.#baseOf = baseOf
  }

  /** Whatever the page: which of them it is, is found out in the browser. */
  async send(koa: KoaContext): Promise<void> {
    const { status, html, policy } = await this.#page(koa)
    koa.set({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
    if (status !== 200) koa.set('Retry-After', '2')
    koa.status = status
    koa.body = html
  }

  async #page(koa: KoaContext): Promise<Page> {
    if (this.#template !== undefined) return builtPage(this.#template, this.#pathFor(koa))
    const state = this.#builds.state()
    if (state.kind === 'failed') return failedPage(state.reason)
    if (state.kind === 'building') return waitingPage()
    this.#template = await readFile(join(state.folder, 'index.html'), 'utf8')
    return builtPage(this.#template, this.#pathFor(koa))
  }

  #pathFor(koa: KoaContext): string {
    return `${new URL(this.#baseOf(koa)).pathname.replace(/\/$/, '')}/dashboard/`
  }
}

interface Asset {
  readonly mediaType: string
  readonly body: Buffer
  readonly encoding?: 'br' | 'gzip'
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** As the build names them: no separators, nothing hidden. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.(css|js|svg|woff2)$/
const SUFFIX = { br: '.br', gzip: '.gz' } as const

/** The built files of the dashboard, each with the forms in which it was compressed when it was built. */
class Assets {
  readonly #builds: BuildFolder
  /** By path. Only files that there are, of builds that are kept. */
  readonly #read = new Map<string, Buffer>()

  constructor(builds: BuildFolder) {
    this.#builds = builds
  }

  /** Finds also files of the previous version, as open pages continue after an upgrade. */
  async find(name: string, acceptEncoding: string): Promise<Asset | undefined> {
    if (!NAME.test(name)) return undefined
    for (const folder of [this.#builds.current, ...this.#builds.earlier().slice(0, 1)]) {
      const found = await this.#in(join(folder, 'assets', name), acceptEncoding)
      if (found !== undefined) return found
    }
    return undefined
  }

  async #in(path: string, acceptEncoding: string): Promise<Asset | undefined> {
    const mediaType = MEDIA_TYPES[extname(path)] ?? 'application/octet-stream'
    for (const name of encodingsIn(acceptEncoding)) {
      const body = await this.#contentOf(path + SUFFIX[name])
      if (body !== undefined) return { mediaType, body, encoding: name }
    }
    const body = await this.#contentOf(path)
    return body && { mediaType, body }
  }

  async #contentOf(path: string): Promise<Buffer | undefined> {
    const known = this.#read.get(path)
    if (known !== undefined) return known
    try {
      const body = await readFile(path)
      this.#read.set(path, body)
      return body
    } catch {
      return undefined
    }
  }
}
