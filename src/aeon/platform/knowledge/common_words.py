"""Words that name nobody and nothing although they may have a capital letter, in English, German and French. Data."""

from typing import Final, NamedTuple


class Language(NamedTuple):
    """What the name finder knows of a language; all words are folded to small letters.

    `grammar` are the words by which a text's language is recognized: articles, pronouns, prepositions, conjunctions and
    the like. They never are names. `openers` are other words that often begin a sentence. `determiners` come before a
    noun that is not a name.
    """

    grammar: frozenset[str]
    openers: frozenset[str]
    determiners: frozenset[str]


def folded_words(text: str) -> frozenset[str]:
    """Returns the words of a text, which blanks part, in small letters."""
    return frozenset(text.casefold().split())


_ENGLISH: Final = Language(
    folded_words("""
        a about after again against all also although always am an and another any anybody anyone anything are as at
        be because been before being below between both but by can cannot could did do does doing down during each
        either else even ever every everybody everyone everything few for from further had has have having he her here
        hers herself him himself his how however i if in instead into is it its itself just last least less let like
        many may maybe me might mine more most much must my myself neither never next no nobody none nor not nothing
        now of off often on once one only or other others our ours ourselves out over own perhaps quite rather same
        several shall she should since so some somebody someone something sometimes soon still such than that the
        their theirs them themselves then there therefore these they this those though through thus to today together
        tomorrow tonight too two until up upon us very was we were what whatever when whenever where wherever whether
        which while who whoever whom whose why will with within without would yes yesterday yet you your yours
        yourself i'm i've i'd i'll it's that's there's he's she's we're they're you're don't doesn't didn't isn't
        aren't wasn't weren't can't couldn't won't wouldn't shouldn't haven't hasn't hadn't let's what's who's where's
        here's how's we've we'll they've they'll you've you'll he'll she'll
        """),
    folded_words("""
        according actually add afterwards ah alright answer anyway apart apparently appreciate ask assuming awesome
        basically besides bring build bye call change check cheers choose clean close come compare congratulations
        consider continue convert copy correct correction cool count create dad dear definitely delete depending
        describe despite double draft draw due eat edit email enough especially eventually everything except excellent
        explain fair exactly extract false fact fill finally find finished first fix following format forget fortunately
        fyi generally generate get give glad go goal good goodbye got great grandma grandpa guess ha haha hahaha hehe
        hihi happy hello help hey hi hmm honestly hopefully idea imagine important initially interesting keep know later
        lately list listen long look lol luckily made mainly make mean meanwhile merge mom mum morning name need
        nearly nice nope note obviously ok okay oh open original originally otherwise ouch overall people please plan
        plus possibly previously print probably project put question quick quote read reading really reason recently
        regarding remember remind remove rename repeat replace reply report reschedule rewrite right rumor rumors rumour
        rumours run sad save say schedule second secondly see seems send set short show similarly simply sit size sleep
        sleeping slightly sort
        sorry sounds speaking speak split start state stay step stop strange suddenly suggest summarise summarize
        suppose sure surely take talk task tell test text thank thanks think third three four five six seven eight
        nine ten thought time title todo total translate true trust try turn turns twice type unfortunately unlike
        update use using usually wait want warning welcome well went whereas wish wonder wondering work works worse
        wow write wrong yeah yep yo
        arrived asked ate became began booked bought broke built called came caught cooked cut decided drank drove felt
        fell fixed flew forgot gave heard helped hired joined kept knew learned learnt left lived lost loved met moved
        ordered paid picked played ran said saw sent signed slept sold spent spoke started stayed stopped talked told
        took tried visited waited walked wanted watched woke won worked wrote
        boss coach colleague daughter dentist doctor flatmate husband landlady landlord manager neighbor neighbour
        physio plumber roommate sister brother son teacher wife
        """),
    folded_words("a an the my your his her its our their this that these those some any no every each another"),
)

_GERMAN: Final = Language(
    folded_words("""
        ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes ans auch auf
        aufs aus außer außerdem bald bei beide beiden beim bereits bevor bin bis bist bitte da dabei dadurch dafür
        dagegen daher dahin damals damit danach dann daran darauf daraus darin darum das dass davon davor dazu dein
        deine deinem deinen deiner deines dem den denen denn dennoch der deren derzeit deshalb dessen dich die dies
        diese diesem diesen dieser dieses dir doch dort du durch eben ein eine einem einen einer eines einig einige
        einigen einmal er erst es etwa falls etwas euch euer eure eurem euren eurer fast für gar gegen genau gerade
        gern gerne gestern gewesen hab habe haben habt hast hat hätte hätten hättest hatte hatten hattest heute hier
        hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in indem ins inzwischen irgendwie ist ja jede
        jedem jeden jeder jedes jemand jetzt kann kannst kein keine keinem keinen keiner können könnt könnte könnten
        lässt leider mal man manche manchem manchen mehr mein meine meinem meinen meiner meines meist mich mir mit
        möchte morgen muss musst müssen musste nach nachdem nachher natürlich neben nein nicht nichts nie niemand noch
        nun nur ob obwohl oder oft ohne schon sehr seid sein seine seinem seinen seiner seines seit seitdem selbst
        sich sicher sie sind so sobald sodass sogar soll sollen sollte sollten sondern sonst soweit sowie statt trotz
        trotzdem über überall um und uns unser unsere unserem unseren unserer unter viel viele vielen vielleicht
        vielmehr vom von vor vorgestern vorher während wann war wäre wären waren warst warum was weder weg wegen weil
        weiter welche welchem welchen welcher welches wem wen wenig wenige wenn wer werde werden wessen wie wieder
        wieso will willst wir wird wirst wo wobei wodurch wofür woher wohin wohl wollen wollte womit woran worauf
        würde würden zu zudem zuerst zuletzt zum zur zurück zusammen zwar zwischen ganz mal ach naja eigentlich
        ebenfalls übrigens übermorgen kommt geht macht ging kam laut
        """),
    folded_words("""
        achtung brauche anfangs angenommen anscheinend antworte beschreibe danke einverstanden endlich entschuldigung
        entschuldige erinnere erkläre erklär erstelle erzähl erzähle fasse finde formuliere frag frage fertig früher
        gib glaubst gut gute guten guter haha hallo hast hey hi hilf hm hoffentlich höchstens insgesamt irgendwann
        irgendwo klar klingt komm korrektur kurz kürze letzte letzten letzter letztes liebe lieber liste lösch lösche
        mach mache mama merk merke mittlerweile mindestens moin nächste nächsten nächster nächstes nee nenne nimm
        notiere ok okay oma onkel opa papa plane prima prüfe quatsch richtig rechne ruf rufe sag sage schau schade
        schön schönen frohe frohes schreib schreibe schreiben seltsam servus sieh sorry speichere später stimmt super
        suche tante tja toll trag trage tut übersetze ungefähr vergiss vergleiche vermutlich verschieb verschiebe
        vorausgesetzt vorerst vorhin vorsicht wahrscheinlich warte weißt weitere wichtig willkommen wirklich wusstest
        angefangen angekommen angerufen bekommen besucht bestellt bezahlt gefunden gegessen gekauft gesehen getroffen
        gewonnen verkauft verloren umgezogen unterschrieben
        zähl zähle zeig zeige ziemlich zunächst zufällig zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
        """),
    folded_words("""
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines mein meine
        meinen meinem meiner meines dein deine deinen deinem deiner deines sein seine seinen seinem seiner seines ihr
        ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer unseres euer eure euren eurem eurer dieser
        diese dieses diesen diesem jeder jede jedes jeden jedem alle allen aller viel viele vielen wenig wenige
        wenigen mehr weniger einige einigen manche manchen welche welcher welches welchen welchem solche solchen beide
        beiden am im vom zum zur beim ins ans aufs zwei drei vier fünf sechs sieben acht neun zehn elf zwölf etwas
        genug ganze ganzen halbe halben nächste nächsten nächster nächstes letzte letzten letzter letztes andere
        anderen anderer anderes anderem erste ersten erster erstes zweite zweiten dritte dritten paar so'n ne nen nem
        ums fürs übers durchs unters hinters vors
        """),
)

_FRENCH: Final = Language(
    folded_words("""
        à afin ai ainsi alors après as assez au aucun aucune aujourd'hui auquel aura aussi autre autres aux avait
        avant avec avez avoir avons beaucoup bien bientôt ça car ce ceci cela celle celles celui cependant ces cet cette
        ceux chaque chez ci comme comment d dans de debout déjà demain depuis derrière des dès dessous dessus deux
        devant devrait dit dois doit donc dont du durant elle elles en encore enfin ensuite entre es est et étaient
        était été être eu eux fait faites fois font hier hors ici il ils j j'ai je jusque l la là laquelle le lequel
        les lesquels leur leurs lorsque lui m ma mais malgré me même mêmes mes mieux moi moins mon n ne ni non nos
        notre nous nouveau on ont or où oui par parce parfois parmi pas pendant personne peu peut peux plus plusieurs
        plutôt pour pourquoi pourtant pourrait près presque puis puisque qu quand que quel quelle quelles quelqu'un
        quelque quelques quels qui quoi quoique rien s sa sans sauf se selon sera seront ses seul seulement si sinon
        soi soit son sont sous souvent sous suis sur ta tandis tant te tel telle tes toi ton tôt toujours tous tout
        toute toutes très trop tu un une va vais vas vers veut veux voici voilà vont vos votre vous y c t c'est
        d'abord j'avais j'aime n'est qu'il
        """),
    folded_words("""
        aide ajoute allô appelle apparemment attends avis bah bon bonjour bonne bonsoir bravo bref calcule certes
        change cher chère cherche coucou combien compare corrige crée d'accord décris désolé désolée dernièrement
        dernier dis dommage donne écris efface évidemment exact excusez explique fais finalement franchement génial
        hélas grand grande heureusement imagine impossible intéressant joli jolie liste malheureusement maman merci
        mets montre note nouvelle normalement oublie ok okay ouais papa papi mamie pardon parfait parle peut-être
        pense petit petite possible prends première premier prépare quant question raconte rappelle récemment réécris
        regarde remplace réponds reporte résume salut sérieusement super supprime surtout tiens traduis trouve
        acheté appelé arrivé commandé commencé déménagé fini mangé parti payé perdu reçu rencontré réservé vendu vu
        allez bises canapé coach contact contrôle dentiste erreur félicitations message objet poubelles question réponse
        rendez-vous médecin patron patronne prof voisin voisine
        tristement trois quatre cinq six sept huit neuf dix vérifie viens vive vivement voyons vraiment
        """),
    folded_words("""
        le la les l un une des du de d mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette
        ces quel quelle quels quelles chaque quelques plusieurs aucun aucune
        """),
)

LANGUAGES: Final = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH}

TITLES: Final = folded_words("""
    mr mrs ms miss dr prof professor sir madam lord lady herr herrn frau fräulein doktor monsieur madame mademoiselle
    m mme mlle st uncle aunt onkel tante tonton tata captain president king queen pope dad daddy mom mum mama papa
    granny nan nana grandma grandpa oma opa cousin cousine nichte neffe
    """)
"""Words that stand before a name and are not part of it."""

TIMES_AND_TONGUES: Final = folded_words("""
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays mon tue wed thu fri sat sun january february march april may june july august september october november
    december jan feb mar apr jun jul aug sep sept oct nov dec easter christmas halloween xmas spring summer autumn
    winter montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag montags januar jänner februar märz
    mai juni juli oktober dezember ostern weihnachten pfingsten silvester advent frühling sommer herbst lundi mardi
    mercredi jeudi vendredi samedi dimanche janvier février mars avril juin juillet août septembre octobre novembre
    décembre noël pâques english german french spanish italian portuguese dutch russian japanese chinese latin greek
    polish turkish swedish danish norwegian finnish czech hungarian arabic korean american british european austrian
    swiss canadian african asian englisch deutsch französisch spanisch italienisch portugiesisch russisch japanisch
    chinesisch lateinisch griechisch polnisch türkisch schwedisch anglais allemand français espagnol italien portugais
    russe japonais chinois estonian latvian lithuanian ukrainian croatian serbian slovak slovenian romanian bulgarian
    icelandic irish scottish welsh belgian australian brazilian mexican indian iranian israeli egyptian nigerian
    ethiopian vietnamese thai indonesian persian hebrew hindi urdu bengali catalan basque flemish bavarian sicilian
    norman asiatisch estnisch ukrainisch kroatisch dänisch norwegisch finnisch ungarisch tschechisch rumänisch
    arabisch koreanisch hebräisch amerikanisch britisch österreichisch schweizerisch europäisch suédois danois
    norvégien finlandais hongrois tchèque roumain arabe coréen néerlandais ukrainien américain britannique autrichien
    suisse belge breton bretonne basque catalan englische englischen deutsche deutschen französische französischen
    européen européenne
    """)
"""Days, months, feasts and languages."""

COMMON_ACRONYMS: Final = folded_words("""
    ai api asap atm bmi brb btw ceo cd cfo co co2 cpu css csv cto cv cve diy dm dns dna dvd ebook edv eta faq fyi gif
    gpu hd hr html http https id imho ios ip it json jpg kfz kg km kmh lan led llm lkw lol ltd mb md ml mp3 mri nb ocr
    ok oled omg os pc pdf phd pin pkw png pm pr ps qr ram rsvp sdk sms sms sos sql ssd ssh ssl svg tba tbd tldr todo
    tv ui uk url usb utc uv ux vat vip vpn wc wifi wlan wtf www xml yaml zip am gb tb bzw usw etc inkl mwst nr tel ok
    """)
"""Words in capital letters that name no thing of their own."""

LEGAL_FORMS: Final = folded_words(
    "gmbh ag kg ohg gbr se eg ev ug inc ltd llc plc corp co sa sarl sas spa nv bv ab as oy"
)
"""What ends the name of a company, and is none alone."""

LEADING_ARTICLES: Final = folded_words("la le les the el los las il den de")
"""Articles that begin a name where they have a capital letter within a sentence: "La Rochelle"."""

CORRECTING_PREPOSITIONS: Final = folded_words("""
    in at on to from of for with by im am bei nach aus von zu für mit à au en de du chez pour avec but mais
    """)
"""What stands between two names of which one corrects the other, besides "not"."""

PLURAL_VERBS: Final = folded_words(
    "are were have need do don't aren't weren't haven't sind waren haben werden habe bin sont étaient ont"
)
"""Verbs before which, at the beginning of a sentence, no single name stands."""

OBJECTS: Final = {
    "en": folded_words("my your his her our their the a an me us it this that these those"),
    "de": folded_words("mir mich uns bitte den das die einen eine ein dir es mal diese diesen dieses"),
    "fr": folded_words("un une mon ma mes ce cette ces moi par votre vos ton ta tes"),
}
"""What follows a verb in the imperative, at the beginning of a sentence, and hardly ever a name."""

FRENCH_OR_ENGLISH_ENDINGS: Final = ("ing", "ly", "ment", "ness", "tion", "tions", "ments", "ity", "ée", "ées")
"""How words end that are rarely names, where they only stand at the beginning of a sentence."""

PARTICLES: Final = folded_words(
    "van von der den de del della di da du la le zu zur of the des dos al bin ibn y ten ter"
)
"""What may stand within a name in small letters."""

NO_VERBS: Final = folded_words("""
    and or but in on at of to from with for by near as who whose which that the an is
    und oder aber an auf bei von vom zu zum zur mit für aus nach im am der die das ist
    et ou mais à au aux en de du des chez avec pour par dans sur qui dont que est
""")
"""Small words that may follow a name, and are not what it does."""

OTHERS: Final = folded_words("me him her them us moi toi lui elle eux nous")
"""Pronouns that are joined to a name: "Karim et moi"."""

JOINING: Final = {"en": folded_words("and or"), "fr": folded_words("et ou")}
"""What joins two names."""

APPOSITIONS: Final = {
    "en": folded_words("my our his her their who whom whose a an the from in"),
    "fr": folded_words("mon ma mes notre nos son sa ses leur qui que dont un une le la de d à"),
}
"""What follows a name and its comma: who it is."""

VERBS_OF_ONE: Final = {
    "en": folded_words("""
        is was has had will would can can't could couldn't should might may must isn't wasn't hasn't won't wouldn't
        doesn't didn't says said goes went came got did does made took told thinks thought left won kept knew met gave
        found wrote ran sent lost bought sold paid sat saw spoke began became just also never always still now no not
        already often usually sometimes once really even only rarely hardly recently finally probably from in
        who with then quit put
        understood drove read ate drank hurt hit cut slept spent built caught taught brought felt fell flew forgot grew
        held heard led lent let lit meant rode rose sang stood swam threw wore woke chose drew hid paid shook stole tore
        """),
    "fr": folded_words("""
        est a était avait va vient fait dit peut veut doit sait part sort met prend tient voit croit boit n'est n'a
        s'est m'a nous me te se lui y en ne qui et aussi vit suit finit sera aura
        """),
}
"""Verbs of the third person, and what may stand between them and a name."""

VERB_ENDINGS: Final = {"en": ("s", "ed"), "fr": ("e", "ait", "era", "it")}
"""How other verbs of the third person end."""
