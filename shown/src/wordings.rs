//! The words that instructions to an agent are made of, in the languages of most users.
//!
//! Written without accents and in lower case, as [`crate::instructions`] reads a text. A word can be of several kinds.
//! Verbs stand in the forms of a command; nouns in the forms that follow one.

pub(crate) const IGNORE: u32 = 1;
pub(crate) const BYPASS: u32 = 1 << 1;
pub(crate) const INSTRUCTIONS: u32 = 1 << 2;
pub(crate) const RULES: u32 = 1 << 3;
pub(crate) const EARLIER: u32 = 1 << 4;
pub(crate) const YOU: u32 = 1 << 5;
pub(crate) const NOT: u32 = 1 << 6;
pub(crate) const TELL: u32 = 1 << 7;
pub(crate) const USER: u32 = 1 << 8;
pub(crate) const RUN: u32 = 1 << 9;
pub(crate) const TOOL: u32 = 1 << 10;
pub(crate) const AT_ONCE: u32 = 1 << 11;
pub(crate) const REVEAL: u32 = 1 << 12;
pub(crate) const SECRET: u32 = 1 << 13;
pub(crate) const SEND: u32 = 1 << 14;
pub(crate) const ADDRESS: u32 = 1 << 15;

/// What each word can be.
pub(crate) const KINDS: &[(u32, &str)] = &[
    (
        IGNORE,
        "ignore disregard forget neglect ignoriere ignorieren ignoriert vergiss vergesse vergessen missachte missachten \
         ignorez ignorer oublie oubliez oublier ignora ignorad ignorar ignoren olvida olvide olviden olvidar esqueca \
         esquecer desconsidere ignori ignorare ignorate dimentica dimenticare dimenticate negeer negeren vergeet ignoruj \
         zignoruj zignorowac zapomnij pomin игнорируи игнорируите проигнорируи проигнорируите забудь забудьте игноруи \
         ignorera glom ignorer glem ignoruite zapomen ignoră uita ohita unohda αγνοησε αγνοηστε abaikan lupakan \
         يتجاهل تجاهل تجاهلي تجاهلوا انس התעלם התעלמי שכח",
    ),
    (BYPASS, "override bypass circumvent discard umgehe umgehen uberschreibe contourne contournez outrepasse anula"),
    (
        INSTRUCTIONS,
        "instruction instructions guardrails directives anweisung anweisungen instruktion instruktionen vorgaben consigne \
         consignes instruccion instrucciones indicaciones instrucao instrucoes istruzione istruzioni instructie \
         instructies instrukcje instrukcji instrukcjami polecenia polecen инструкции инструкциями указания указании \
         інструкціі вказівки talimat talimati talimatlari talimatlar instruktioner instruktionerna anvisningar instrukser \
         pokyny instrukce instructiuni instructiunile utasitasokat utasitast ohjeet ohjeita οδηγιες instruksi perintah \
         التعليمات تعليمات الاوامر ההוראות הוראות",
    ),
    (
        RULES,
        "prompt prompts rule rules guidelines commands regel regeln regles reglas regras regole regels zasady правила \
         правил kurallar kurallari",
    ),
    (
        EARLIER,
        "previous prior above earlier preceding foregoing all any every your these those existing vorherige vorherigen \
         bisherige bisherigen obige obigen alle toutes tous precedentes precedents precedente anteriores anterior todas \
         todos tutte precedenti eerdere vorige bovenstaande wszystkie poprzednie все всех предыдущие предыдущих onceki tum \
         tidigare alla tidligere foregaende vsechny predchozi toate anterioare minden korabbi kaikki aiemmat ολες \
         προηγουμενες semua sebelumnya جميع السابقة כל מכל הקודמות",
    ),
    (
        YOU,
        "you your must should assistant agent reveal repeat print ignore obey du deine dein musst sie ihre tu ton ta dois \
         vous votre devez tus debes su seu sua deve tuo devi je jouw moet",
    ),
    (NOT, "not don dont never without nicht nie kein keinem ne pas rien jamais no nunca nao non mai niet nooit nie не"),
    (
        TELL,
        "tell telling mention inform informing notify alert sage sag erwahne informiere verrate dis dites mentionne informe \
         informez digas diga menciones avises conte diga dire informare vertel zeg говори сообщаи mow powiedz",
    ),
    (
        USER,
        "user users human nutzer benutzer anwender utilisateur usuario utente gebruiker uzytkownikowi пользователю \
         kullaniciya operator",
    ),
    (RUN, "run execute call use invoke exec"),
    (TOOL, "query sql tool tools function statement"),
    (AT_ONCE, "now immediately please assistant agent next"),
    (REVEAL, "reveal repeat print show leak output disclose recite"),
    (
        SECRET,
        "password passwords token tokens secret secrets credential credentials contents rows prompt key keys dump cookies",
    ),
    (SEND, "send post email upload forward exfiltrate submit copy transmit mail"),
    (ADDRESS, "http https url webhook attacker ftp"),
];

/// Other ways to say that what came before doesn't count.
pub(crate) const SET_ASIDE: &[&str] = &[
    "stop following",
    "do not follow your",
    "do not follow the above",
    "new instructions from",
    "follow these instructions",
    "follow the instructions below",
    "follow my instructions",
    "instead of answering",
    "yok say",
    "yok sayin",
    "gormezden gel",
    "bo qua tat ca",
    "hagyd figyelmen kivul",
];

/// Said to nobody but an agent.
pub(crate) const ADDRESSES: &[&str] = &[
    "you are now",
    "as an ai",
    "dear assistant",
    "dear ai",
    "attention ai",
    "from now on you",
    "pretend to be",
    "pretend that you",
    "act as an ai",
    "note to the ai",
    "note to ai",
    "if you are an ai",
    "if you are a language model",
    "developer mode",
    "jailbreak mode",
    "the user has authorized",
    "the user has approved",
    "the user wants you to",
    "du bist jetzt",
    "du bist nun",
    "sie sind jetzt",
    "ab sofort bist du",
    "tu es maintenant",
    "vous etes maintenant",
    "ahora eres",
    "a partir de ahora",
    "agora voce e",
    "voce agora e",
    "a partir de agora",
    "ora sei",
    "adesso sei",
    "je bent nu",
    "jestes teraz",
    "teraz jestes",
    "ты теперь",
    "теперь ты",
    "вы теперь",
    "artik sen",
    "sen artik",
    "du ar nu",
];

/// What a text for an agent speaks of, where it speaks to somebody.
pub(crate) const TOPICS: &[&str] = &[
    "system prompt",
    "ai agent",
    "ai assistant",
    "language model",
    "your instructions",
    "your guidelines",
    "your training",
];

/// What is asked for is the agent's own, or a secret of somebody.
pub(crate) const YOURS: &[&str] = &["your", "you", "system prompt", "all passwords", "the passwords", "credentials"];

/// Who may seem to speak, in front of a colon.
pub(crate) const ROLES: &[&str] = &[
    "system",
    "assistant",
    "developer",
    "system message",
    "system note",
    "system override",
    "tool",
    "tool result",
    "admin",
    "ai",
    "important",
    "instruction",
    "instructions",
    "human",
    "anthropic",
    "openai",
];

/// What somebody who seems to speak wants.
pub(crate) const CUES: &[&str] = &[
    "you",
    "your",
    "must",
    "ignore",
    "disregard",
    "obey",
    "follow",
    "execute",
    "call",
    "run",
    "reveal",
    "new",
    "override",
    "immediately",
    "instructions",
    "grant",
    "granted",
    "approved",
    "authorized",
];

/// Pieces of the frames in which messages, tools and their results are given to models.
pub(crate) const FRAMES: &[&str] = &[
    "<|",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<system>",
    "</system>",
    "<system-",
    "<assistant>",
    "</assistant>",
    "<user>",
    "</user>",
    "<tool_",
    "</tool_",
    "<function_",
    "</function_",
    "<invoke",
    "<instructions>",
    "</instructions>",
    "</data",
    "<data-",
    "</untrusted",
    "\n\nhuman:",
    "\n\nassistant:",
    "### system",
    "### instruction",
    "###system",
    "begin system",
    "end of data",
    "end of tool",
    "start of system",
    "<start_of_turn>",
    "<end_of_turn>",
    "\"role\":\"system\"",
    "\"role\": \"system\"",
    "\"tool_result\"",
    "\"jsonrpc\"",
];

/// Sayings whose letters may be spaced out.
pub(crate) const SQUEEZED: &[&str] = &[
    "ignoreallprevious",
    "ignorepreviousinstr",
    "ignoretheabove",
    "ignoreallinstr",
    "ignoreallrules",
    "ignoreyourinstr",
    "disregardallprevious",
    "disregardprevious",
    "disregardtheabove",
    "forgetallprevious",
    "forgeteverythingabove",
    "forgetyourinstr",
    "revealyoursystemprompt",
    "donottelltheuser",
    "overrideallinstr",
];

/// Verbs and nouns of languages that don't separate words, or join them with others.
pub(crate) const UNSPACED: &[(&[&str], &[&str])] = &[
    (
        &["忽略", "忽視", "忽视", "无视", "無視", "忘记", "忘記", "不要理会", "不理會"],
        &["指令", "指示", "提示词", "提示詞", "规则", "規則", "命令", "说明"],
    ),
    (&["無視", "忘れ", "従わない"], &["指示", "命令", "プロンプト", "ルール", "規則"]),
    (&["무시", "잊어", "잊으"], &["지시", "명령", "지침", "프롬프트", "규칙"]),
    (&["ละเว้น", "เพิกเฉย", "ไม่สนใจ", "ลืม"], &["คำสั่ง", "คำแนะนำ"]),
    (&["अनदेखा", "नज़रअंदाज", "नजरअंदाज", "भूल जा", "उपेक्षा"], &["निर्देश", "आदेश"]),
    (&["نادیده", "فراموش"], &["دستور"]),
    (&["উপেক্ষা", "ভুলে"], &["নির্দেশ"]),
    (&["bo qua", "quen"], &["huong dan", "chi dan", "chi thi", "lenh"]),
];

/// "You are now …" in them.
pub(crate) const UNSPACED_WHOLE: &[&str] = &[
    "你现在是",
    "你現在是",
    "您现在是",
    "从现在开始你",
    "不要告诉用户",
    "不要告訴用戶",
    "あなたは今",
    "あなたはこれから",
    "ユーザーに言わ",
    "ユーザーには伝え",
    "당신은 이제",
    "너는 이제",
    "사용자에게 말하지",
    "أنت الآن",
    "لا تخبر المستخدم",
    "אתה עכשיו",
    "अब आप",
    "अब तुम",
];
