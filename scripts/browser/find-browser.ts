/**
 * The browser for the tests of the dashboard and for its pictures: the one that CHROMIUM_PATH names, one that is
 * installed, or the one that a package brings along (Linux on x64), which is unpacked into `.runtime/browser` once.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeTurn } from '../lock.mjs'

export interface FoundBrowser {
  readonly executablePath: string
  /** Beside those of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

const INSTALLED: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/opt/google/chrome/chrome',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
}

const ROOT = join(import.meta.dirname, '../..')
const PACKAGE = join(ROOT, 'node_modules/@sparticuz/chromium')
/** Root may not use Chromium's own sandbox; the pages are those of this project. */
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none']

/** Undefined where there is none. @throws Error where CHROMIUM_PATH names no file */
export function findBrowser(): FoundBrowser | undefined {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH is '${named}', and there is no such file`)
    return { executablePath: named, env: {}, args: ARGS }
  }
  const installed = INSTALLED[process.platform]?.find(existsSync)
  return installed === undefined ? packagedBrowser() : { executablePath: installed, env: {}, args: ARGS }
}

/** Whether the tests in a browser can run. In CI they must: there they fail without one. */
export const canUseBrowser = (): boolean => Boolean(process.env.CI) || findBrowser() !== undefined

function packagedBrowser(): FoundBrowser | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(PACKAGE)) return undefined
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { readonly version: string }
  const folder = join(ROOT, '.runtime/browser', version)
  if (!existsSync(folder)) unpackOnce(folder)
  nameFonts(folder)
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
    args: ARGS,
  }
}

function unpackOnce(folder: string): void {
  const endTurn = takeTurn(`${folder}.lock`, () => {})
  try {
    if (!existsSync(folder)) unpack(folder)
  } finally {
    endTurn()
  }
}

/** The package's own settings of fonts are for a machine where everything is below /tmp. */
function nameFonts(folder: string): void {
  const file = join(folder, 'fonts/fonts.conf')
  const dirs = [join(folder, 'fonts'), '/usr/share/fonts'].map((path) => `<dir>${path}</dir>`).join('')
  const text = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>${dirs}<cachedir>${join(folder, 'font-cache')}</cachedir></fontconfig>\n`
  if (readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

/** In a process of its own, as the package reads its settings when it is loaded. */
function unpack(folder: string): void {
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  // The name of a platform whose libraries are then unpacked too.
  const env = { ...process.env, TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' }
  const result = spawnSync(process.execPath, [join(import.meta.dirname, 'unpack.mjs')], { env, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`Chromium could not be unpacked: ${result.stderr}`)
  renameSync(unfinished, folder)
}
