/**
 * The documentation: `GET /docs` has its pages by title and headings, `GET /docs/{page}` one of them as Markdown. Anybody may read
 * it, as it is the same on every server. Read when it is first asked for, and kept.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { once } from '../fhir/memoize.ts'
import { notFound } from '../fhir/outcome.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'

const FOLDER = join(import.meta.dirname, '../../docs')

interface DocPage {
  /** `operations/patient-merge.md` */
  readonly path: string
  readonly title: string
  readonly headings: readonly string[]
}

export function docRoutes(folder = FOLDER): SideRouter {
  const router = new Router()
  const documentation = once(() => documentationIn(folder))
  const send = (koa: KoaContext): void => {
    const { folder: part, page = '' } = koa.params
    const path = part === undefined ? page : `${part}/${page}`
    const text = documentation().texts.get(path)
    if (text === undefined) throw notFound('The documentation has no such page; GET /docs lists those that there are')
    koa.type = 'text/markdown; charset=utf-8'
    koa.body = text
  }
  router.get('/docs', (koa) => {
    koa.body = { pages: documentation().pages }
  })
  router.get('/docs/:page', send)
  router.get('/docs/:folder/:page', send)
  return sideRouter(['docs'], router)
}

interface Documentation {
  /** By path; none where the server is installed without its documentation. */
  readonly texts: ReadonlyMap<string, string>
  readonly pages: readonly DocPage[]
}

function documentationIn(folder: string): Documentation {
  const paths = globSync('{*,*/*}.md', { cwd: folder }).map((path) => path.replaceAll('\\', '/'))
  const texts = new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
  return { texts, pages: Array.from(texts, ([path, text]) => described(path, text)) }
}

function described(path: string, text: string): DocPage {
  const outsideCode = text.replace(/^```[\s\S]*?^```/gm, '')
  const [title = path, ...headings] = Array.from(
    outsideCode.matchAll(/^#{1,3} +(.+)$/gm),
    ([, heading = '']) => heading,
  )
  return { path, title, headings }
}
